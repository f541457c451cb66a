"""The example with Spark runs as it is, in the session of the tests."""

import runpy

from tests.documents import ROOT


def test_the_example_reads_triples_and_saves_what_it_inferred(spark, capsys):
    example = runpy.run_path(str(ROOT / "examples" / "spark_pipeline.py"), run_name="example")

    example["main"](session=spark)

    printed = capsys.readouterr().out
    assert "2 products merged" in printed
    assert "tables of Parquet: dictionary, explicit, facts, normal, parameters, representatives, rules" in printed
    assert "Highlighter: 4 sold" in printed
