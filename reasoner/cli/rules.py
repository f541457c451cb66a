"""``reasoner rules``: print the rules that data and ontology stand for."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence

from reasoner.cli.inputs import add_input_options, load_inputs
from reasoner.cli.parser import Parser
from reasoner.cli.table import counted
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner
from reasoner.rules.rule import Rule


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Print the program: the rules of the ontology under a profile and your own, in the order of evaluation, with\n"
        "strata and the axioms that rules come from as comments. --rules reads the output back as the same rules."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner rules --profile rdfs\n"
        "  reasoner rules ontology.owl --profile dlp > rules.txt\n"
        "  reasoner materialise data.nt --profile none --rules rules.txt\n"
        "  reasoner rules ontology.owl --profile dlp --maintenance\n"
        "exit status: 0, or 2 for an error, such as rules that cannot be stratified"
    )
    add_input_options(parser)
    parser.add_argument(
        "--maintenance",
        action="store_true",
        help="print the maintenance program of the rules instead: what leaves and joins their closure when facts do",
    )


def run(arguments: Namespace) -> int:
    """Load, translate, stratify and print."""
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch, may_be_empty=True)
    with watch.stage("translating"):
        text = print_maintenance_program(kb) if arguments.maintenance else print_program(kb)
    print(text, end="")
    return 0


def print_maintenance_program(kb: Reasoner) -> str:
    """Write the program that the declarative strategy evaluates, as text that parses back as the same rules."""
    from reasoner.rules.printer import print_rules

    rules = kb.maintenance_rules()
    return f"# maintenance program of profile {kb.profile}: {counted(len(rules), 'rule')}\n{print_rules(rules)}"


def print_program(kb: Reasoner) -> str:
    """Write all rules of a reasoner, stratum by stratum, as text that parses back as the same rules."""
    from reasoner.rules.prefixes import choose_prefixes
    from reasoner.rules.printer import print_rule, print_rules
    from reasoner.rules.stratify import stratify

    program = stratify(kb.rules(), equality=kb.equality == "rewrite")
    prefixes = choose_prefixes(constant for rule in kb.rules() for constant in rule.constants)
    sizes = f"{counted(len(program.rules), 'rule')}, {counted(len(program.constraints), 'constraint')}"
    parts = [f"# profile {kb.profile}: {sizes}\n"]
    if kb.translation().value_equality:
        parts.append("# besides, literals that have the same value are equal terms\n")
    parts.append(print_rules((), prefixes))

    def add(title: str, rules: Iterable[Rule]) -> None:
        lines = [print_rule(rule, prefixes) for rule in rules]
        if lines:
            parts.append("\n".join([f"\n# {title}", *lines, ""]))

    for level, stratum in enumerate(program.strata):
        add(f"stratum {level}: rules that read lower strata only", stratum.nonrecursive)
        add(f"stratum {level}: recursive rules", stratum.recursive)
    add("constraints", program.constraints)
    return "".join(parts)
