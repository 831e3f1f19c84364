"""Reading the rows of a board: searching, filtering, sorting and paging."""
