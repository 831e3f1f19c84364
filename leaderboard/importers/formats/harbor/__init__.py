"""The formats of Harbor: a job, a board of its hub, a registry."""
