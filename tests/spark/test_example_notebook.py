"""The notebook with Spark runs from top to bottom, in a session of its own."""

import pytest

from docs.generate.notebooks import EXAMPLES, executed
from tests.test_example_notebooks import outputs_of


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_notebook_reasons_on_spark_and_opens_the_store_without_it():
    shown = outputs_of(executed(EXAMPLES / "spark_to_parquet.ipynb"))

    assert "2 products with several names" in shown
    assert "representatives" in shown and "catalogue.parquet" in shown
    assert "Highlighter" in shown
