"""Accounts: signing up, addresses, passwords, links, second factors."""
