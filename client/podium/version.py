"""The version, which is that of the server: both are released together."""

VERSION = "0.1.0"
