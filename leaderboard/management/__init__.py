"""Commands for operators, the demo, and the server in one process (`up`)."""
