"""Which plugins are installed, which tenants may use them, and the sandboxes that run them.

The only room that starts plugin code, with `scripts` and `evaluation` on top of it. It imports no
other room; every room may import it.
"""
