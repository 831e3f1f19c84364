"""Which plugins are installed, which tenants may use them, and the sandboxes that run them.

Only this room starts plugin code; `scripts` and `evaluation` use it for that. It imports no other
room; every room may import it.
"""
