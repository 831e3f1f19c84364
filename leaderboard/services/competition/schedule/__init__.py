"""Phases, choices of attempts and reveals in time."""
