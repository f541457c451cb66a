"""``reasoner profile``: list what lies outside a profile, and why."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from reasoner.cli.inputs import add_full_iris_option, add_profile_option
from reasoner.cli.parser import Parser
from reasoner.cli.table import counted
from reasoner.cli.watch import Watch
from reasoner.rules.prefixes import ShortTerms


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "List each axiom of an ontology that a profile cannot express, and the reason. owl2rl is the grammar of the\n"
        "W3C profile, rdfs what RDF Schema can say; for dlp, lower and upper, what their translations leave out."
    )
    parser.epilog = (
        "examples:\n"
        "  reasoner profile ontology.owl\n"
        "  reasoner profile ontology.ofn --profile dlp\n"
        "exit status: 0 if all axioms are inside, 1 if some are not, 2 for an error"
    )
    parser.add_argument("ontology", metavar="ONTOLOGY", help="a file, glob or folder, or - for standard input")
    parser.add_argument("--format", metavar="F", help="the syntax (default: by file name and content)")
    parser.add_argument("--base", metavar="IRI", help="the base of relative IRIs (default: the file itself)")
    add_profile_option(parser.add_argument)
    add_full_iris_option(parser.add_argument)


def run(arguments: Namespace) -> int:
    """Read the ontology and compare it with the profile."""
    from ontologies.profile import axioms_outside, check_profile
    from ontologies.read import read_ontology

    with Watch().stage("reading"):
        ontology = read_ontology(arguments.ontology, format=arguments.format, base=arguments.base)
    with Watch().stage("checking"):
        outside = check_profile(ontology, arguments.profile)
    names = ShortTerms(dict(ontology.prefixes), full=arguments.full_iris)
    for part in outside:
        print(names.text(f"{' '.join(part.axiom_text.split())}\n    {part.reason}"))
    if ontology.imports:
        imports = ontology.imports
        what = f"the import of {imports[0]}" if len(imports) == 1 else f"{len(imports)} imports, such as {imports[0]}"
        print(f"not followed: {what}; check them on their own", file=sys.stderr)
    total = counted(len(ontology.axioms), "axiom")
    if not outside:
        print(f"all inside {arguments.profile}: {total}")
        return 0
    axioms, findings = axioms_outside(outside), counted(len(outside), "finding")
    about = "" if axioms == len(outside) else f" about {counted(axioms, 'axiom')},"
    print(f"outside {arguments.profile}: {findings}{about} in {total}")
    return 1
