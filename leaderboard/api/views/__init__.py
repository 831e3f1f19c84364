"""The views of the API, a resource per file: parse, call one service function, answer."""
