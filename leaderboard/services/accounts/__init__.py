"""Accounts of people: one-time links, invitations, accounts from a table.

Imported by the interfaces only.
"""
