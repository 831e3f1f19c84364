"""The operations of the product: all writes, and the reads that need more than a QuerySet.

There is one package per subject. Its docstring says what is in it and what may import it. The
packages are layers; above them are the interfaces: `api`, `pages`, `admin`, `management`, `tasks`.
`errors`, `transactions` and `tokens` belong to no package.
"""
