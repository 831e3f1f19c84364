"""From instances to rewards and from rewards to metric values.

Text metrics measure the instances of an attempt, block by block, in several sandboxes at once;
metrics reduce its rewards. This room also knows what names of metrics and values mean on this
server. The rooms above, from `board` up to `scoring`, and the doors import it.
"""
