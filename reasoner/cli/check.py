"""``reasoner check``: tell whether data and ontology are consistent."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.inputs import (
    add_full_iris_option,
    add_input_options,
    load_inputs,
    reason_over,
    report_imports,
    short_terms,
)
from reasoner.cli.parser import Parser
from reasoner.cli.table import counted
from reasoner.cli.violations import print_violations
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Tell whether data and ontology are consistent under a profile. If not, list the violations: the rule, the\n"
        "triples that break it, and the axiom that it comes from. If nothing is violated and axioms lie outside the\n"
        "profile, say how many: 'reasoner profile' lists them."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner check data.ttl --ontology ontology.owl\n"
        "  reasoner check STORE\n"
        "  reasoner check data.nt --profile none --rules constraints.txt && echo good\n"
        "exit status: 0 if nothing is violated, 1 if something is, 2 for an error"
    )
    add_input_options(parser)
    parser.add_argument(
        "--most", metavar="N", type=int, default=100, help="list at most so many violations of each rule (100)"
    )
    parser.add_argument("--explain", action="store_true", help="prove the triples that break a rule")
    add_full_iris_option(parser.add_argument)


def run(arguments: Namespace) -> int:
    """Load, materialise, and list the matches of constraints."""
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch)
    reason_over(kb, watch)
    summary = kb.summary()
    if not arguments.quiet:
        report_imports(kb, arguments)
    if not summary.violations:
        print(_verdict(kb))
        return 0
    listed = kb.violations(most=max(1, arguments.most))
    print(f"INCONSISTENT: {counted(max(summary.violations, len(listed)), 'violation')} of constraints")
    print_violations(listed, sys.stdout, short_terms(kb, arguments), explain=arguments.explain)
    return 1


def _verdict(kb: Reasoner) -> str:
    """Say that nothing is violated, and how much of the ontology that is the judgement of."""
    from ontologies.profile import axioms_outside

    if kb.profile == "none":
        return "no violation under none; the ontology was not considered: only rules of your own are"
    outside = axioms_outside(kb.outside_profile())
    if not outside:
        return "consistent"
    them = "it" if outside == 1 else "them"
    return (
        f"no violation under {kb.profile}; {counted(outside, 'axiom')} not considered: `reasoner profile` lists {them}"
    )
