"""The doors of the API, a resource per file: parse, call one verb, answer."""
