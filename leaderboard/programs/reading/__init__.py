"""What the contracts share: their interface, and how sources, zips and answers are read."""
