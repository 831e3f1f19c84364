"""Running an installation: health, status, alive workers, counters, disk, backup and restore.

`scoring`, whose workers report themselves here, the API, pages, admin and commands import this
room.
"""
