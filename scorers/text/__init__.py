"""Text metrics, which turn model outputs into numbers; one file each, no list to edit."""
