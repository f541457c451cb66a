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
from reasoner.cli.table import counted, print_violations
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Check whether data and ontology are consistent under a profile. If not, list the violations: the rule, the\n"
        "triples that break it, and the axiom that it comes from. If there are none, say how many axioms are outside\n"
        "the profile and were not checked; 'reasoner profile' lists them. --patience also checks such axioms."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner check data.ttl --ontology ontology.owl\n"
        "  reasoner check STORE\n"
        "  reasoner check data.nt --profile none --rules constraints.txt && echo good\n"
        "exit status: 0 if consistent, 1 if there are violations, 2 for an error"
    )
    add_input_options(parser)
    parser.add_argument(
        "--most", metavar="N", type=int, default=100, help="list at most N violations of each rule (default: 100)"
    )
    parser.add_argument(
        "--patience",
        metavar="S",
        type=float,
        default=0.0,
        help="if no rule is violated, search S more seconds for contradictions with existential and disjunctive "
        "axioms, which the rules of a profile cannot find (default: 0)",
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
        if arguments.patience > 0 and (why := kb.inconsistency(patience=arguments.patience)):
            print(f"INCONSISTENT by looking further ({arguments.patience:g} s at most): {why}")
            return 1
        print(_verdict(kb, arguments.patience))
        return 0
    listed = kb.violations(most=max(1, arguments.most))
    print(f"INCONSISTENT: {counted(max(summary.violations, len(listed)), 'violation')} of constraints")
    print_violations(listed, sys.stdout, short_terms(kb, arguments), explain=arguments.explain)
    return 1


def _verdict(kb: Reasoner, patience: float) -> str:
    """Say that nothing is violated, of how much of the ontology that is the judgement, and what was asked."""
    from ontologies.profile import axioms_outside

    if kb.profile == "none":
        return "no violation under none; the ontology was not considered: the profile none has user rules only"
    outside = axioms_outside(kb.outside_profile())
    further = f"; looked further for {patience:g} s at most, and found no contradiction" if patience > 0 else ""
    if not outside:
        return "consistent" + further
    them = "it" if outside == 1 else "them"
    hint = further or "; constraints alone were asked, --patience S looks further"
    considered = f"{counted(outside, 'axiom')} not considered: `reasoner profile` lists {them}"
    return f"no violation under {kb.profile}; {considered}{hint}"
