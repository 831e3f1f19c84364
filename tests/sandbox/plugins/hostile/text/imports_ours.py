"""Uses what Podium's own text metrics are made of."""

from scorers.text.exact_match import ExactMatch


class ImportsOurs(ExactMatch):
    """Exact match, by another name."""

    id = "IMPORTS_OURS"
