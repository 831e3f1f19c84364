"""A text metric that imports Podium's own text metrics."""

from scorers.text.exact_match import ExactMatch


class ImportsOurs(ExactMatch):
    """Exact match under another name."""

    id = "IMPORTS_OURS"
