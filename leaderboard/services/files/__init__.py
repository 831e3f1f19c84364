"""Files of challenges and of attempts: written, read, and deleted once their rows are gone.

A file is written to the storage `files` first, and then named by a row in a transaction. So a row
always has its file; a file without a row is deleted by the sweeper. Needs no other package.
"""
