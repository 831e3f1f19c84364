"""The layers that take a child's rights off, one per file.

Each function either does all of its work or raises `LayerRefused` with the reason, so that a
layer that the host refuses is reported and never skipped in silence. They run in the zygote and
in its children only: nothing here may be called in a process that is still needed.
"""
