"""The client: podium-client."""
