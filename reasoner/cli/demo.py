"""``reasoner demo``: generate a small university, reason over it, ask, explain, delete."""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reasoner.cli.inputs import add_engine_options, engine_of
from reasoner.cli.load_generators import load_generators
from reasoner.cli.parser import Parser
from reasoner.cli.watch import Watch
from reasoner.errors import ReasonerError
from reasoner.reasoner import Reasoner
from reasoner.rules.term import RDF_TYPE
from reasoner.short_terms import ShortTerms
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.cli.page import Page

_UNIVERSITY = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
_IDENTITIES = "http://example.org/university-identities#"
_DEPARTMENT = "<http://www.Department0.University0.edu>"
_HAS_HEAD = f"<{_IDENTITIES}hasHead>"
_CHAIR = f"<{_UNIVERSITY}Chair>"
_DECLARATIONS = f"PREFIX ub: <{_UNIVERSITY}> PREFIX id: <{_IDENTITIES}> "
_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "ub": _UNIVERSITY,
    "id": _IDENTITIES,
    "department0": "http://www.Department0.University0.edu/",
    "department1": "http://www.Department1.University0.edu/",
    "library0": "http://library.example.org/readers/Department0.University0.edu-",
    "library1": "http://library.example.org/readers/Department1.University0.edu-",
    "visitor0": "http://visitors.example.org/0/",
    "visitor1": "http://visitors.example.org/1/",
}


def add_options(parser: Parser, words: Sequence[str]) -> None:
    """Describe the command."""
    parser.description = (
        "Generate a small university whose people have several names, load it, compute what follows, ask a few\n"
        "questions, show why an inferred triple holds, delete a fact and show what went with it."
    )
    parser.epilog = "exit status: 0, or 2 for an error"
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="another seed, another university (0)")
    add_engine_options(parser.add_argument)


def run(arguments: Namespace) -> int:
    """Tell the story; all files are temporary."""
    from reasoner.cli.page import Page

    page = Page(ShortTerms(_PREFIXES))
    with tempfile.TemporaryDirectory(prefix="reasoner-demo-") as folder:
        kb = _load(page, Path(folder), arguments)
    _materialise(page, kb)
    _ask(page, kb)
    alias = _explain(page, kb)
    _delete(page, kb, alias)
    page.heading("Your turn")
    page.line("reasoner generate university-identities --departments 2 -o university.nt")
    page.line("reasoner materialise university.nt --ontology university-ontology.nt -o closure.nt")
    return 0


def _load(page: Page, folder: Path, arguments: Namespace) -> Reasoner:
    page.heading("1. A university where people have several names")
    data = folder / "university.nt"
    with Watch().stage("generating"):
        written = load_generators().write("university-identities", data, departments=2, seed=arguments.seed)
    page.line(f"generated {written.triples:,} triples and an ontology of {written.ontology_triples:,} more")
    kb = Reasoner("owl2rl", **engine_of(arguments))
    with Watch().stage("loading") as news:
        report = kb.load(data, written.ontology_path, progress=news)
    page.line(f"loaded {report.statements:,} statements of {report.files} files, {report.rate:,.0f} a second")
    return kb


def _materialise(page: Page, kb: Reasoner) -> None:
    page.heading("2. What follows, by the rules of OWL 2 RL")
    with Watch().stage("reasoning") as news:
        # The first run also loads code; the second shows what reasoning itself takes.
        kb.materialise(progress=news)
        summary = kb.materialise(progress=news)
    page.table(("", ""), summary.rows())
    page.line()
    page.line("Equal names share one representative; facts are stored once, and answers tell all names.")
    classes = sorted(kb.classes(), key=len, reverse=True)
    examples = {len(members): members for members in reversed(classes)}
    page.table(
        ("names", "persons", "for example"),
        [
            (str(size), str(count), _listed(page, examples[size], 3))
            for size, count in sorted(Counter(map(len, classes)).items(), reverse=True)
        ],
    )


def _ask(page: Page, kb: Reasoner) -> None:
    page.heading("3. Questions")
    for question, patterns, asked in (
        ("Who heads a department?", "?department id:hasHead ?head", None),
        ("Which students does a chair advise?", "?student ub:advisor ?chair, ?chair a ub:Chair", None),
        (
            "Who comes from the town of a chair?",
            "?chair a ub:Chair, ?chair id:hasSameHomeTownWith ?person",
            ("person",),
        ),
        (
            "Which organisations is a chair's department a part of?",
            "?chair a ub:Chair, ?chair ub:headOf ?part, ?part ub:subOrganizationOf ?whole",
            ("part", "whole"),
        ),
    ):
        page.line()
        page.line(question, f"   {patterns}")
        answers = kb.select(_DECLARATIONS + patterns, asked)
        page.answers(answers, most=4)


def _explain(page: Page, kb: Reasoner) -> str:
    page.heading("4. Why does a triple hold?")
    names = [answer["x"] for answer in kb.select(f"{_DEPARTMENT} {_HAS_HEAD} ?x, ?x {RDF_TYPE} {_CHAIR}")]
    # One of the names is LUBM's own; the others come from elsewhere.
    alias = next((name for name in names if "FullProfessor" not in name), None)
    if alias is None:
        raise ReasonerError("the head of this department has one name only; choose another --seed")
    triple = (alias, RDF_TYPE, _CHAIR)
    proof = kb.explain(triple)
    assert proof is not None
    page.line("Nobody says that this name belongs to a chair, or to whom it belongs at all:")
    page.proof(proof)
    return alias


def _delete(page: Page, kb: Reasoner, alias: str) -> None:
    page.heading("5. A fact goes, and what goes with it")
    fact = (_DEPARTMENT, _HAS_HEAD, alias)
    before = _names(kb, alias)
    page.line("delete  " + page.triple(fact))
    delta = kb.remove([fact])
    page.line()
    page.line(
        f"{len(delta.asserted_removed)} asserted and {len(delta.inferred_removed):,} inferred triples are gone; "
        f"{page.term(alias)} had {before} names and has {_names(kb, alias)} left."
    )
    page.table(("gone", "with the property"), _by_property(page, delta.inferred_removed))
    holds = kb.explain((alias, RDF_TYPE, _CHAIR)) is not None
    page.line(f"Is it still a chair? {'Yes.' if holds else 'No: nothing is left to prove it.'}")


def _names(kb: Reasoner, name: str) -> int:
    return next((len(members) for members in kb.classes() if name in members), 1)


def _by_property(page: Page, triples: Sequence[TextTriple]) -> list[tuple[str, str]]:
    counts = Counter(predicate for _, predicate, _ in triples)
    return [(f"{count:,}", page.term(predicate)) for predicate, count in counts.most_common(6)]


def _listed(page: Page, terms: Sequence[str], most: int) -> str:
    shown = ", ".join(page.term(term) for term in terms[:most])
    return shown + (", ..." if len(terms) > most else "")
