"""Which plugins are installed, which tenants may use them, and the sandboxes that run them.

Only this package starts plugin code; `scripts` and `evaluation` use it for that. It imports no
other package of `services`; all of them may import it.
"""
