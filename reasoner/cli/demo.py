"""``reasoner demo``: generate a small university, reason over it, ask, explain, delete.

What the demonstration prints: headings, tables, answers and proofs, coloured on a terminal and plain elsewhere.
"""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reasoner.cli.generate import load_generators
from reasoner.cli.inputs import add_engine_options, engine_of
from reasoner.cli.parser import Parser
from reasoner.cli.watch import Watch
from reasoner.explanation.explain import Proof, proof_tree
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import ShortTerms
from reasoner.terms.term import RDF_TYPE, TextTriple

_WIDTH_OF_A_FILE = 120


class Page:
    """Standard output, with terms written by prefixes."""

    def __init__(self, names: ShortTerms) -> None:
        console = Console()
        self._console = console if console.is_terminal else Console(width=_WIDTH_OF_A_FILE)
        self._names = names

    def heading(self, text: str) -> None:
        self._console.print(Text(f"\n{text}", style="bold cyan"))

    def line(self, text: str = "", aside: str = "") -> None:
        """Print a line; ``aside`` follows it dimmed."""
        self._console.print(Text(text) + Text(aside, style="dim"), soft_wrap=True)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print rows; numbers in the first column stand to the right."""
        numbers = all(row[0].replace(",", "").isdigit() for row in rows)
        headed = any(heads)
        table = Table(box=box.SIMPLE_HEAD if headed else None, show_header=headed, padding=(0, 1))
        for place, head in enumerate(heads):
            table.add_column(head, justify="right" if numbers and place == 0 else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        self._console.print(table)

    def answers(self, answers: Sequence[Mapping[str, str]], most: int) -> None:
        """Print the first answers to a query, and how many there are."""
        if not answers:
            self.line("  no answer")
            return
        heads = [f"?{name}" for name in answers[0]]
        self.table(heads, [[self.term(term) for term in answer.values()] for answer in answers[:most]])
        if len(answers) > most:
            self.line(f"  ... {len(answers):,} answers in all")

    def proof(self, proof: Proof, *, sources: bool = False) -> None:
        """Print a proof as a tree, each step above what it rests on, perhaps with the axioms behind the rules."""
        for line in proof_tree(proof, self._names, sources=sources):
            reason = Text(f"   {line.reason}", style="green" if line.asserted else "yellow")
            self._console.print(Text(line.guide, style="dim") + Text(line.fact) + reason, soft_wrap=True)

    def triple(self, triple: TextTriple) -> str:
        """Write a triple for people."""
        return self._names.triple(triple)

    def term(self, term: str) -> str:
        """Write a term for people."""
        return self._names.term(term)


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
    parser.add_argument(
        "--seed", metavar="S", type=int, default=0, help="the seed; each gives another university (default: 0)"
    )
    add_engine_options(parser.add_argument)


def run(arguments: Namespace) -> int:
    """Tell the story; all files are temporary."""

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
