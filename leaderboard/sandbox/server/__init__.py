"""What runs in the fork server and its zygotes: forking, confining and ending children.

This is trusted code without secrets. It imports neither `host` nor `child`; the program
`fork_server.py` passes it the code of children. Children import its `layers` and the type of their
confinement.
"""
