"""What runs in the fork server and its zygotes: forking, confinement, ending all of a child.

Trusted code without secrets. Imports neither `host` nor `child`: the program `fork_server.py` gives
it the code of children. Children import its `layers` and the type of their confinement.
"""
