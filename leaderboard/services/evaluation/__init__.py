"""Compute the values of text metrics and of metrics.

Text metrics measure the instances of an attempt, block by block, in several sandboxes at once;
metrics reduce its rewards. This package also finds out what a name of a metric or value means on
this server. The packages above, from `board` up to `scoring`, and the interfaces import it.
"""
