"""The layers that drop a child's rights, one per file.

Each function either does all of its work or raises `LayerRefused` with the reason, so that a
layer that the host refuses is reported and never skipped in silence. They run only in the zygote
and its children: no other process may call them, because rights cannot be regained.
"""
