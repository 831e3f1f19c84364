"""What operators see: logs, outages, request ids and memory."""
