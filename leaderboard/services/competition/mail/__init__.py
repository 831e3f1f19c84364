"""Mail to those who take part and to organisers."""
