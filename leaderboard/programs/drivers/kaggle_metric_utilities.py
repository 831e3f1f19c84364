"""The module of this name that Kaggle offers to its metrics: the same functions, written anew."""

import numbers

import numpy as np
from pandas.api.types import is_numeric_dtype


class ParticipantVisibleError(Exception):
    """An error whose text participants see."""


class HostVisibleError(Exception):
    """An error whose text only organisers see."""


def safe_call_score(metric_function, solution, submission, **metric_func_kwargs):
    """Call a metric of scikit-learn; participants see errors that tell nothing of the solution.

    That are errors without a digit, if the solution has only numbers.
    """
    try:
        score = metric_function(solution, submission, **metric_func_kwargs)
    except Exception as error:
        text, name = str(error), type(error).__name__
        if name == "ParticipantVisibleError":
            raise ParticipantVisibleError(text) from error
        if name == "HostVisibleError":
            raise HostVisibleError(text) from error
        is_numeric = np.issubdtype(np.asarray(solution).dtype, np.number)
        if is_numeric and not any(character.isdigit() for character in text):
            raise ParticipantVisibleError(text) from error
        raise
    if not isinstance(score, numbers.Real):
        raise ValueError("the metric returned no number")
    return score


def verify_valid_probabilities(df, df_name):
    """Raise ParticipantVisibleError unless each row has numbers from 0 to 1 whose sum is 1."""
    if not all(map(is_numeric_dtype, df.dtypes)):
        raise ParticipantVisibleError(f"All target values in {df_name} must be numeric")
    if (df.to_numpy() < 0).any():
        raise ParticipantVisibleError(f"All target values in {df_name} must be at least zero")
    if (df.to_numpy() > 1).any():
        raise ParticipantVisibleError(f"All target values in {df_name} must be no greater than one")
    if not np.allclose(df.to_numpy().sum(axis=1), 1):
        raise ParticipantVisibleError(
            f"Target values in {df_name} do not add to one within all rows"
        )
