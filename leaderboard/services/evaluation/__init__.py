"""From instances to rewards and from rewards to metric values.

Text metrics are asked over the instances of an attempt, block by block, in sandboxes side by side;
metrics reduce its rewards. Here is also what names of metrics and values mean on this server.
Imported by the rooms above, from `board` up to `scoring`, and by the doors.
"""
