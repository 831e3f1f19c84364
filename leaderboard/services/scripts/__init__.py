"""Metric scripts: PEP 723 texts, prepared once with uv and run offline in the sandbox.

This room imports only `plugins`; the rooms above and the admin import it.
"""
