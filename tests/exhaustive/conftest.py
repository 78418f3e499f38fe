"""The submissions live beside the unit tests of the games."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "unit" / "games"))
