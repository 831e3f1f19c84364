"""What other sites show of a board: pictures, badges, frames, feeds. All as anyone sees it.

An organiser who opens such an address gets the same answer as everybody, so no cache can give what
one reader sees to another.
"""
