"""How random tests are drawn: the same cases in every ordinary run, new ones in every run of ``make soak``."""

import os

from hypothesis import settings

SOAK = os.environ.get("SOAK") == "1"

settings.register_profile("steady", derandomize=not SOAK, database=None, print_blob=True)
settings.load_profile("steady")
