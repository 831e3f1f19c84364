"""Limits of attempts: counting, refusing, giving back."""
