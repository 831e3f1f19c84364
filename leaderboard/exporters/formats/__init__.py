"""One module for each format of exchange."""
