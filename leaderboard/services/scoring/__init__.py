"""What workers do: claim an attempt, score it, save its outcome, and sweep.

Single attempts round robin over tenants, history in batches, rescores in slices. The topmost room:
only the doors, tasks and commands import it.
"""
