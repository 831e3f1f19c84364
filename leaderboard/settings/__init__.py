"""Django's settings. Everything an operator may change is in `variables`."""

from leaderboard.settings.variables import *  # noqa: F403, I001 - in the order of their use
from leaderboard.settings.storage import *  # noqa: F403
from leaderboard.settings.application import *  # noqa: F403
from leaderboard.settings.accounts import *  # noqa: F403
from leaderboard.settings.browsers import *  # noqa: F403
from leaderboard.settings.api import *  # noqa: F403
from leaderboard.settings.workers import *  # noqa: F403
from leaderboard.settings.logging import *  # noqa: F403
