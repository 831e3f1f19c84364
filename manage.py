#!/usr/bin/env python3
"""Django's command line for this project."""

from leaderboard.management.command_line import main

if __name__ == "__main__":
    main()
