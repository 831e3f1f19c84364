"""Scorer plugins, one file each. No list has to be edited; README.md explains how to add one."""
