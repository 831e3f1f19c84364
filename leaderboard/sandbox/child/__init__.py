"""What runs in a child after it has dropped its rights: loading a plugin and answering one job.

Never imports `host`. Whatever a child says is checked again by the host.
"""
