"""Accounts of people: one-time links, invitations, accounts from a table.

Of the other packages it imports only `competition`, and only the interfaces import it.
"""
