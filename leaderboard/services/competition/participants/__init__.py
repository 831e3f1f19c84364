"""Participants, their accounts and registrations."""
