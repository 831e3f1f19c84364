"""What leaves the process: mail, and messages to workers."""
