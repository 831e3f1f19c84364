"""What workers do: claim an attempt, score it, save its outcome, and sweep.

Workers score single attempts in turn for all tenants, history in batches and rescores in slices.
This is the topmost room: only the API, pages, admin, tasks and commands import it.
"""
