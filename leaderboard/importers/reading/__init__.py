"""How result files are opened, walked through and read, whatever their format."""
