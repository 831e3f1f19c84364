"""Text metrics: model outputs become numbers. One metric per file, no list to edit."""
