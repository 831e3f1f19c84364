"""Accounts of people: links that work once, invitations, accounts from a table.

Above the other rooms, and imported by none of them.
"""
