"""What a reader may know of a board and its attempts."""
