"""The verbs: everything that writes, and the few reads that need more than a QuerySet.

Each folder is a room that says what lives in it and who may import it; the rooms are layers.
`errors`, `transactions` and `tokens` belong to no room.
"""
