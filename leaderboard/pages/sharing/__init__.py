"""What other sites show of a board: pictures, badges, frames, feeds. All as anyone sees it."""
