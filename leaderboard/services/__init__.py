"""The operations of the product: all writes, and the reads that need more than a QuerySet.

There is one package per subject. Its docstring says what is in it and what may import it. The
packages are layers; above them are the interfaces: `api`, `pages`, `admin`, `management`, `tasks`.
`errors`, `transactions` and `tokens` belong to no package.

A contract of import-linter lists all packages as layers, so a new package has to be added to it.
Where two subjects need each other, the smaller part moves down: starting a rescore belongs to
`challenges`, the work on its slices to `scoring`. Commands and queries of a subject are in the same
package, because nearly every subject has both and readers search by subject.
"""
