"""The languages of the product."""
