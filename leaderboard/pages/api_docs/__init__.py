"""`/api/docs/`: the documentation of the HTTP API, written from its OpenAPI document."""
