"""``reasoner spark-setup``: fetch what Spark needs beyond its Python packages."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.parser import Parser
from reasoner.cli.watch import Watch
from reasoner.spark.platform.jars import fetch_jars, wanted_packages


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Download the Java libraries of GraphFrames with Spark's own resolver, unless they are installed."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner spark-setup\n"
        "  reasoner spark-setup --optional     # in a build that must not fail without a network\n"
        "exit status: 0, or 2 for an error"
    )
    parser.add_argument("--repository", metavar="ADDRESS", help="an additional repository, such as a mirror")
    parser.add_argument("--optional", action="store_true", help="exit with 0 even if the download fails")
    parser.add_argument(
        "--quiet", "-q", action="store_true", help="do not list the files; report a failure in one short line"
    )


def run(arguments: Namespace) -> int:
    """Fetch, and tell what is there."""
    from reasoner.rules.errors import ReasonerError

    try:
        with Watch(arguments.quiet).stage(f"fetching {', '.join(wanted_packages())}"):
            jars = fetch_jars(repository=arguments.repository)
    except ReasonerError as error:
        if not arguments.optional:
            raise
        print("GraphFrames is not there; everything else works without it" if arguments.quiet else error)
        return 0
    if not arguments.quiet:
        for jar in jars:
            print(jar)
    return 0
