"""The serializers of those who take part, and of those who organise."""
