"""The HTTP API: it parses requests strictly, calls one service, and answers with JSON."""
