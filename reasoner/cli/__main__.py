"""The ``reasoner`` command as a module: what ``python -m reasoner`` runs."""

from __future__ import annotations

import sys

from reasoner.cli import main

sys.exit(main())
