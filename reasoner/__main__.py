"""``python -m reasoner``: the same as the ``reasoner`` command."""

from __future__ import annotations

import sys

from reasoner.cli import main

sys.exit(main())
