"""What runs in a child after it has dropped its rights: loading a plugin and answering one job.

This code never imports `host`. The host checks every answer of a child again.
"""
