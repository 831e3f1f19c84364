"""What the readers of all platforms share."""
