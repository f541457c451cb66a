"""The code of the guide to Spark runs, and prints what it says."""

from __future__ import annotations

import pytest

from tests.documents import ROOT, run_page
from tests.spark.quick_session import quickly


@pytest.mark.slow
def test_the_code_of_the_guide_runs_and_prints_what_it_says(spark, tmp_path):
    with quickly(spark):
        assert run_page(ROOT / "docs" / "spark.md", tmp_path) > 0
