"""Texts: messages, names, similar words, times, cells."""
