"""What workers do: claim an attempt, score it, save its outcome, and sweep.

Workers score single attempts of all tenants in turn, history in batches, and rescores in slices.
The API, pages, admin, tasks and commands import it, but no other package of `services` does.
"""
