"""The version of the product. It is said here alone: pyproject.toml reads this file."""

VERSION = "0.1.0"
