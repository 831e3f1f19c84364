"""Metric scripts: PEP 723 texts, prepared once with uv and run offline in the sandbox.

Imports `plugins` alone; imported by the rooms above and by the admin.
"""
