"""`/api/docs/`: the documentation of the HTTP API, written from its OpenAPI document.

The usual viewers of such documents need JavaScript, and styles or fonts that our content security
policy forbids.
"""
