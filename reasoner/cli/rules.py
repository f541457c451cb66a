"""``reasoner rules``: print the rules that data and ontology stand for."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path

from reasoner.cli.errors import naming
from reasoner.cli.inputs import add_full_iris_option, add_input_options, load_inputs, short_terms
from reasoner.cli.parser import Parser, local_place
from reasoner.cli.table import counted
from reasoner.cli.watch import Watch
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import ShortTerms
from reasoner.rules.rule import Rule

# What predicates of maintenance programs begin with.
_MADE = "urn:x-maintenance:"


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Print all rules, those of the ontology under a profile and user rules, in the order of evaluation, with\n"
        "strata and the axioms that rules come from as comments. --rules reads the output back as the same rules."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner rules --profile rdfs\n"
        "  reasoner rules ontology.owl --profile dlp > rules.txt\n"
        "  reasoner materialise data.nt --profile none --rules rules.txt\n"
        "  reasoner rules ontology.owl --profile dlp --maintenance\n"
        "  reasoner rules STORE --maintenance --patch change.rdfp --add-rules new.txt\n"
        "exit status: 0, or 2 for an error, such as rules that cannot be stratified"
    )
    add_input_options(parser)
    add_full_iris_option(parser.add_argument)
    group = parser.add_argument_group("the maintenance program")
    group.add_argument(
        "--maintenance",
        action="store_true",
        help="print the maintenance program instead: rules that compute how the closure changes when facts change",
    )
    group.add_argument(
        "--patch",
        metavar="FILE",
        type=local_place,
        help="the change of facts that the program is for, as RDF Patch (default: any change without new predicates)",
    )
    group.add_argument("--add-rules", metavar="FILE", type=local_place, help="user rules that the change adds")
    group.add_argument("--remove-rules", metavar="FILE", type=local_place, help="user rules that the change removes")


def run(arguments: Namespace) -> int:
    """Load, translate, stratify and print."""
    changes = (arguments.patch, arguments.add_rules, arguments.remove_rules)
    if any(changes) and not arguments.maintenance:
        raise ReasonerError("a change is for the maintenance program: say --maintenance as well")
    watch = Watch(arguments.quiet)
    kb = load_inputs(arguments, watch, may_be_empty=True)
    with watch.stage("translating"):
        names = short_terms(kb, arguments)
        text = print_maintenance_program(kb, *changes) if arguments.maintenance else print_program(kb, names)
    print(text, end="")
    return 0


def print_maintenance_program(
    kb: Reasoner, patch: str | None = None, rules_added: str | None = None, rules_removed: str | None = None
) -> str:
    """Write the program that tells what a change does, as text that parses back as the same rules.

    The change is in files: an RDF Patch, rules that come and rules that go. Nobody commits it.
    """
    from reasoner.rules.printer import print_rules

    change = kb.transaction()
    if patch is not None:
        with naming(f"cannot read {patch}"):
            change.apply_patch(Path(patch))
    for path, take in ((rules_added, change.add_rules), (rules_removed, change.remove_rules)):
        if path is not None:
            with naming(f"cannot read {path}"):
                take(Path(path).read_text(encoding="utf-8"), file=path)
    is_known = any((patch, rules_added, rules_removed))
    rules = kb.maintenance_rules(change if is_known else None)
    what = "one change of facts and rules" if is_known else "changes of facts that bring no new predicates"
    return (
        f"# maintenance program of profile {kb.profile}, for {what}: {counted(len(rules), 'rule')}\n"
        "# goes in: the closure before the change as it is, and as <urn:x-maintenance:edb:p>, edb-del:p and edb-ins:p\n"
        "#          the explicit facts of each p before the change, those that leave and those that join\n"
        "# comes out: <urn:x-maintenance:plus:p> and minus:p, or plus-class:C and minus-class:C for facts of a class,\n"
        "#          or plus-object:o:p and minus-object:o:p where strata tell the objects of p apart: the facts that\n"
        "#          join and leave the closure\n"
        f"{print_rules(rules, _prefixes_by_kind(rules))}"
    )


def _prefixes_by_kind(rules: Iterable[Rule]) -> dict[str, str]:
    """Choose prefixes that tell what is made from what: ``e-del`` is for what is made from names of ``e``."""
    from reasoner.rules.prefixes import choose_prefixes

    constants = {constant for rule in rules for constant in rule.constants}
    made = {constant for constant in constants if constant.startswith(f"<{_MADE}")}
    plain = choose_prefixes(constants - made)
    kinds = {constant.removeprefix(f"<{_MADE}").partition(":")[0] for constant in made}
    found = {f"{name}-{kind}": f"{_MADE}{kind}:{namespace}" for name, namespace in plain.items() for kind in kinds}
    used = {name for name, namespace in found.items() if any(item.startswith(f"<{namespace}") for item in made)}
    return plain | {name: found[name] for name in sorted(used)}


def print_program(kb: Reasoner, names: ShortTerms | None = None) -> str:
    """Write all rules of a reasoner, stratum by stratum, as text that parses back as the same rules."""
    from dataclasses import replace

    from reasoner.rules.prefixes import choose_prefixes
    from reasoner.rules.printer import print_rule, print_rules
    from reasoner.rules.stratify import stratify

    names = names or ShortTerms(kb.prefixes)
    program = stratify(kb.rules(), equality=kb.equality == "rewrite")
    constants = [constant for rule in kb.rules() for constant in rule.constants]
    prefixes = {} if names.full else choose_prefixes(constants, names.prefixes)
    commented = ShortTerms(prefixes, full=names.full)
    sizes = f"{counted(len(program.rules), 'rule')}, {counted(len(program.constraints), 'constraint')}"
    parts = [f"# profile {kb.profile}: {sizes}\n"]
    if kb.translation().value_equality:
        parts.append("# literals that have the same value are equal terms: see the rules with differentSpelling\n")
    parts.append(print_rules((), prefixes))

    def add(title: str, rules: Iterable[Rule]) -> None:
        lines = [
            print_rule(replace(rule, sources=tuple(map(commented.text, rule.sources))), prefixes) for rule in rules
        ]
        if lines:
            parts.append("\n".join([f"\n# {title}", *lines, ""]))

    for level, stratum in enumerate(program.strata):
        add(f"stratum {level}: rules that read lower strata only", stratum.nonrecursive)
        add(f"stratum {level}: recursive rules", stratum.recursive)
    add("constraints", program.constraints)
    return "".join(parts)
