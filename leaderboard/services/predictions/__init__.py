"""Files of predictions: checked when they arrive, kept packed, and measured by workers.

Tables are read and measured in the sandbox. Needs only `files` and `plugins`.
"""
