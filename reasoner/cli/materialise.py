"""``reasoner materialise``: write everything that data and ontology entail."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TextIO

from reasoner.cli.inputs import (
    add_full_iris_option,
    add_input_options,
    load_inputs,
    reason_over,
    report_imports,
    short_terms,
)
from reasoner.cli.parser import Parser, local_place
from reasoner.cli.table import counted, print_table
from reasoner.cli.target import OutputTarget
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner
from reasoner.rules.prefixes import ShortTerms

_VIOLATIONS_SHOWN = 10


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Compute everything that follows from data and ontology and write it, with a summary on standard error. The\n"
        "extension of the output decides the syntax: .nt, .ttl, .trig, .rdf, .jsonld or .nq; otherwise N-Triples.\n"
        "If data and ontology are inconsistent, the closure is written too, and a line that begins with INCONSISTENT\n"
        "appears on standard output, or on standard error if there is no -o FILE."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner materialise data.ttl -o closure.nt\n"
        "  reasoner materialise 'parts/*.nt.gz' --ontology ontology.owl --profile dlp -o closure.nt.zst\n"
        "  reasoner materialise data.nt --profile none --rules rules.txt --inferred-only\n"
        "  zcat data.nt.gz | reasoner materialise - | sort\n"
        "exit status: 0, also if inconsistent; 2 for an error"
    )
    add_input_options(parser)
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=local_place,
        help="such as out.nt or out.ttl.gz; .gz, .bz2 and .zst are compressed (default: N-Triples on standard output)",
    )
    group.add_argument("--inferred-only", action="store_true", help="write only what was inferred")
    add_full_iris_option(group.add_argument, "write IRIs of violations in full, not with the prefixes of the input")
    group.add_argument("--reflexive", action="store_true", help="add x owl:sameAs x for every x")


def run(arguments: Namespace) -> int:
    """Load, materialise, write, tell."""
    target = OutputTarget(arguments.output)
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch)
    reason_over(kb, watch)
    _report_violations(kb, short_terms(kb, arguments), sys.stderr if target.is_stdout else sys.stdout)
    with watch.stage("writing"):
        count = target.write(kb, inferred_only=arguments.inferred_only, reflexive=arguments.reflexive)
    if not arguments.quiet:
        report_imports(kb, arguments)
        left_out = len(kb.translation().left_out)
        if left_out:
            print(
                f"left out by {kb.profile}: {counted(left_out, 'axiom')}; 'reasoner profile' tells which",
                file=sys.stderr,
            )
        rows = [*_loaded(kb), *kb.summary().rows(), ("written", f"{counted(count, 'triple')} to {target}")]
        print_table("Materialised", rows, sys.stderr)
    return 0


def _report_violations(kb: Reasoner, names: ShortTerms, stream: TextIO) -> None:
    total = kb.summary().violations
    if not total:
        return
    print(f"INCONSISTENT: {counted(total, 'violation')} of constraints", file=stream)
    for violation in kb.violations(most=_VIOLATIONS_SHOWN)[:_VIOLATIONS_SHOWN]:
        print(f"  {names.text(str(violation))}", file=stream)


def _loaded(kb: Reasoner) -> list[tuple[str, str]]:
    return [
        (
            "loaded",
            f"{counted(report.statements, 'statement')} of {counted(report.files, 'file')} "
            f"in {report.seconds:.3f} s, {report.rate:,.0f}/s",
        )
        for report in kb.load_reports
    ]
