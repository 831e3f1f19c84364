"""Schemas of JSON from outside: strict pydantic models, each file with one subject.

A model provides the check with its errors, the type that services use, the OpenAPI schema and the
fields of forms. `base` has the common parts of all models; `errors` turns pydantic's errors into
sentences by path. A schema needs no database and no registry of plugins: services check what
depends on those, with paths of the same form.
"""
