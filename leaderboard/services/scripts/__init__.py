"""Metric scripts: PEP 723 texts, prepared once with uv and run offline in the sandbox.

Of the other packages it imports only `plugins`; the packages above and the admin import it.
"""
