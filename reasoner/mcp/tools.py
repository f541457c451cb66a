"""What an assistant can ask a reasoner and do with it; every tool returns text of bounded size.

The docstrings of the public methods are what the assistant reads about its tools.

Answers that fit into the context of an assistant: lines up to a size, with a note about what was cut.

The tools registered with the official SDK of the Model Context Protocol, over standard input and output.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING

from loaders.errors import install_command
from loaders.load import parse_text
from reasoner.columnar.term_search import TermSearch, labels_of
from reasoner.columnar.vocabulary_sizes import VocabularySize, class_sizes, property_sizes
from reasoner.evolution.report import Evolution, InconsistentEvolutionError, report_text
from reasoner.explanation.explain import proof_tree
from reasoner.explanation.proof import Violation
from reasoner.requests import query, update
from reasoner.rules.errors import ReasonerError
from reasoner.rules.parser import parse_triple
from reasoner.rules.prefixes import ShortTerms, choose_prefixes
from reasoner.sparql.operation import Load, Operation
from reasoner.sparql.translate_update import translate_update
from reasoner.terms.term import RDF_TYPE, SAME_AS, TextTriple

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from reasoner.reasoner import Reasoner
    from reasoner.state.delta import Delta, Regrouped

MOST_ROWS = 1_000
"""Rows that one call may ask for."""

_TIMEOUT = 30.0
_VOCABULARY = 25
_LISTED = 40


class AssistantTools:
    """The tools of one store. Calls take turns: an assistant that sends several at once gets them one by one."""

    def __init__(self, kb: Reasoner) -> None:
        if kb.store.is_distributed:
            raise ReasonerError("assistants read stores in memory; open this one with the columnar engine")
        self._kb = kb
        self._search = TermSearch()
        self._turn = threading.RLock()
        kb.summary()
        self._names = ShortTerms(_prefixes(kb))

    def overview(self) -> str:
        """Tell what the store holds: counts, profile, the largest classes and properties, and all prefixes.

        Call this first. The prefixes listed here can be used in every other tool without declaring them.
        """
        with self._turn:
            kb, store = self._kb, self._kb.store
            rows = [("profile", kb.profile), ("owl:sameAs", kb.equality), *kb.summary().rows()]
            lines = [f"{name}: {value}" for name, value in rows if name not in ("reasoning", "memory")]
            for title, sizes in (("classes", class_sizes(store)), ("properties", property_sizes(store))):
                named = [size for size in sizes if size.name.startswith("<")]
                lines += ["", f"largest {title}, of {len(named):,}:", *self._sizes(named[:_VOCABULARY])]
            declared = [f"  {name}: <{space}>" for name, space in self._names.prefixes.items()]
            return bounded([*lines, "", "prefixes:", *declared], {})

    def search(self, text: str, limit: int = 20) -> str:
        """Find terms (classes, properties, individuals) whose name or label begins with a text or contains it."""
        with self._turn:
            store = self._kb.store
            found = self._search.matches(store, text, _at_most(limit), lambda: None)
            labels = labels_of(store, [match.term for match in found if match.label is None])
            lines = []
            for match in found:
                label = match.label or labels.get(match.term)
                lines.append(self._names.term(match.term) + (f"  {label}" if label else ""))
            return self._answer(lines or [f"no term has {text!r} in its name or label"])

    def query(self, sparql: str, limit: int = 100) -> str:
        """Answer a SPARQL 1.1 query (SELECT, ASK, CONSTRUCT, DESCRIBE) over asserted and inferred facts."""
        with self._turn:
            result = query(self._kb, sparql, terms="text", timeout=_TIMEOUT, prefixes=self._names.prefixes)
            if result.type == "ASK":
                return "yes" if result.askAnswer else "no"
            rows: Iterator[str]
            if result.type == "SELECT":
                head = ["\t".join(f"?{name}" for name in result.variables)]
                rows = ("\t".join(self._names.term(term) if term else "" for term in row) for row in result.texts())
            else:
                head, rows = [], (f"{self._names.triple(triple)} ." for triple in result.triples())
            most, total = _at_most(limit), len(result)
            lines = first_of(
                rows, most, total, what="answers", hint=f"raise limit (at most {MOST_ROWS:,}) or use OFFSET"
            )
            return self._answer([*head, *lines] if total else ["no answers"])

    def describe(self, term: str, limit: int = 50) -> str:
        """Tell everything about one term: its equal names, and its statements, asserted and inferred told apart.

        The term is an IRI in angle brackets or a prefixed name. Ask explain about an inferred statement to see why.
        """
        with self._turn:
            asked, most = self._term(term), _at_most(limit)
            lines = []
            others = [row[0] or "" for row in self._rows(f"SELECT ?o {{ {asked} {SAME_AS} ?o }}") if row[0] != asked]
            if others:
                shown = first_of(map(self._names.term, others), most, len(others), what="names", hint="raise limit")
                lines += [f"also called: {', '.join(shown)}"]
            for title, pattern in (("statements about it", "?s ?p ?o"), ("statements that point to it", "?s ?p ?o")):
                place = "?s" if title == "statements about it" else "?o"
                where = f"{{ {pattern} FILTER(?p != {SAME_AS}) VALUES {place} {{ {asked} }} }}"
                total = int((self._rows(f"SELECT (COUNT(*) AS ?n) {where}")[0][0] or '"0"').split('"')[1])
                if total:
                    found = self._triples(f"SELECT ?s ?p ?o {where} ORDER BY ?p LIMIT {most}")
                    told = first_of(
                        self._stated(found), most, total, what="statements", hint="raise limit or use query"
                    )
                    lines += [f"{title}: {total:,}", *told]
            if not lines:
                raise ReasonerError(f"nothing is known about {term}; look for another name with search")
            return self._answer([self._names.term(asked), *lines])

    def explain(self, triple: str, proofs: int = 1) -> str:
        """Prove that a triple holds: a tree of rule applications down to asserted facts, the shortest proof first.

        The triple is written like 'ex:tom a ex:Cat'. Ask for up to 5 different proofs.
        """
        with self._turn:
            asked = parse_triple(triple, self._names.prefixes)
            found = list(self._kb.explanations(asked, most=min(max(proofs, 1), 5)))
            if not found:
                return self._answer([f"{self._names.triple(asked)} does not hold"])
            lines: list[str] = []
            for number, proof in enumerate(found, 1):
                lines += [f"proof {number}:"] if len(found) > 1 else []
                lines += map(str, proof_tree(proof, self._names, sources=True))
            return self._answer(lines)

    def entails(self, turtle: str) -> str:
        """Tell whether the store entails all that a small Turtle document says, axioms and blank nodes included.

        A yes is always right; a no means that the rules do not show it.
        """
        with self._turn:
            head = "".join(f"@prefix {name}: <{space}> .\n" for name, space in self._names.prefixes.items())
            # Triples and not the text, which could be taken for the name of a file.
            triples = parse_text(f"{head}{turtle}".encode(), "turtle")
            return self._answer(self._names.text(str(self._kb.entails(triples))).splitlines())

    def violations(self, limit: int = 20, explain: bool = False) -> str:
        """List what contradicts the ontology or the rules: the constraint, the facts that break it, and its axioms.

        With explain, prove each of these facts. No violations means that the store is consistent.
        """
        with self._turn:
            most = _at_most(limit)
            found = self._kb.violations(most=most + 1)
            if not found:
                return "no violations: the store is consistent"
            lines = [line for violation in found[:most] for line in self._violation(violation, explain)]
            more = [f"[cut: the first {most:,}; raise limit]"] if len(found) > most else []
            return self._answer([*lines, *more])

    def rehearse_update(self, sparql_update: str) -> str:
        """Show what a SPARQL Update (INSERT DATA, DELETE DATA, DELETE/INSERT WHERE) would do; nothing is changed.

        Reports the facts that would come and go, asserted and inferred, names that would become equal or stop being
        so, and violations that would appear or disappear.
        """
        with self._turn:
            operations = self._operations(sparql_update)
            with self._kb.session.rehearsal() as fork:
                twin = self._kb.with_session(fork, constraints="warn")
                return self._answer(self._delta(self._updated(twin, operations), "rehearsed; nothing was changed"))

    def rehearse_evolution(self, script: str) -> str:
        """Show what an evolution script would do to the ontology and its data; nothing is changed.

        A script has lines such as 'add SubClassOf(ex:Cat ex:Animal)', 'remove TransitiveObjectProperty(ex:p)',
        'rename ex:Cat to ex:Feline', 'merge ex:Car, ex:Auto into ex:Vehicle', under optional 'step "name"' lines;
        axioms are in OWL functional-style syntax.
        """
        with self._turn:
            return self._report(self._evolved(script, dry_run=True))

    def apply_update(self, sparql_update: str) -> str:
        """Apply a SPARQL Update for good, as one transaction. Rehearse it first."""
        with self._turn:
            delta = self._updated(self._kb, self._operations(sparql_update))
            return self._answer(self._delta(delta, self._committed()))

    def apply_evolution(self, script: str) -> str:
        """Apply an evolution script for good; it is refused if it would bring violations. Rehearse it first."""
        with self._turn:
            return self._report(self._evolved(script, dry_run=False))

    def undo_evolution(self) -> str:
        """Take the last applied step of an evolution script back."""
        with self._turn:
            return self._report(self._kb.undo_evolutions(explain=False))

    def _answer(self, lines: Iterable[str]) -> str:
        return bounded(lines, self._names.prefixes)

    def _committed(self) -> str:
        version = self._kb.version
        return "applied" if version is None else f"applied; version {version} of the store"

    def _term(self, text: str) -> str:
        word = text.strip()
        if "://" in word and not word.startswith("<"):
            word = f"<{word}>"
        return parse_triple(f"{word} a {word}", self._names.prefixes)[0]

    def _rows(self, text: str) -> list[tuple[str | None, ...]]:
        return list(query(self._kb, text, terms="text", timeout=_TIMEOUT).texts())

    def _triples(self, text: str) -> list[TextTriple]:
        return [(s or "", p or "", o or "") for s, p, o in self._rows(text)]

    def _stated(self, triples: Sequence[TextTriple]) -> Iterator[str]:
        store = self._kb.store
        explicit = store.are_explicit(triples, store.state)
        for triple, asserted in zip(triples, explicit, strict=True):
            yield f"  {'asserted' if asserted else 'inferred'}  {self._names.triple(triple)}"

    def _sizes(self, sizes: Sequence[VocabularySize]) -> Iterator[str]:
        for size in sizes:
            yield f"  {self._names.term(size.name)}  {size.facts:,}, of these {size.inferred:,} inferred"

    def _violation(self, violation: Violation, explain: bool) -> Iterator[str]:
        yield f"{violation.rule}:"
        if explain and violation.explainer is not None:
            for proof in violation.explain():
                yield from (f"  {line}" for line in proof_tree(proof, self._names))
        else:
            yield from (f"  {self._names.triple(triple)}" for triple in violation.triples)
        yield from (f"  by {self._names.text(' '.join(source.split()))}" for source in violation.sources)

    def _operations(self, text: str) -> Sequence[Operation]:
        operations = tuple(translate_update(text, prefixes=self._names.prefixes))
        if any(isinstance(operation, Load) for operation in operations):
            raise ReasonerError("LOAD would read a file of this machine; write the triples with INSERT DATA")
        return operations

    def _updated(self, kb: Reasoner, operations: Sequence[Operation]) -> Delta:
        return update(kb, operations, timeout=_TIMEOUT)

    def _delta(self, delta: Delta, outcome: str) -> Iterator[str]:
        yield outcome
        yield from (f"{name}: {value}" for name, value in delta.rows() if name not in ("work", "rounds", "time"))
        counts = delta.counts
        for title, part, count in (
            ("asserted added", "asserted_added", counts.asserted_added),
            ("asserted removed", "asserted_removed", counts.asserted_removed),
            ("inferred added", "inferred_added", counts.inferred_added),
            ("inferred removed", "inferred_removed", counts.inferred_removed),
        ):
            if count:
                triples = (f"  {self._names.triple(triple)}" for triple in delta.iterate(part))
                yield f"{title}:"
                yield from first_of(triples, _LISTED, count, what="facts", hint="change less at a time to see all")
        for title, groups in (("names merged", delta.classes_merged), ("names split", delta.classes_split)):
            yield from (f"{title}: {self._regrouped(group)}" for group in islice(groups, _LISTED))
        for title, found in (
            ("violations that appear", delta.violations_appeared),
            ("violations that go", delta.violations_went),
        ):
            if found:
                yield f"{title}: {len(found):,}"
                for violation in found[:_LISTED]:
                    yield from (f"  {line}" for line in self._violation(violation, explain=False))

    def _regrouped(self, group: Regrouped) -> str:
        before, after = (" | ".join(" = ".join(map(self._names.term, names)) for names in side) for side in group)
        return f"{before} became {after}"

    def _evolved(self, script: str, *, dry_run: bool) -> Evolution:
        from ontologies.evolution.parse_script import parse_script

        # On the first line, so that the lines of an error are those of the script.
        known = (f"prefix {name}: <{space}> " for name, space in self._names.prefixes.items() if f"{name}:" in script)
        # A parsed script, because a text could be taken for the name of a file.
        parsed = parse_script(f"{''.join(known)}{script}", file="script")
        try:
            return self._kb.evolve(parsed, dry_run=dry_run, explain=False)
        except InconsistentEvolutionError as error:
            return error.evolution

    def _report(self, evolution: Evolution) -> str:
        refused = not evolution.applied and not evolution.is_consistent
        note = ["Refused: it would bring the violations above."] if refused else []
        return self._answer([*report_text(evolution, _LISTED, self._names).splitlines(), *note])


def _at_most(limit: int) -> int:
    return min(max(limit, 1), MOST_ROWS)


def _prefixes(kb: Reasoner) -> dict[str, str]:
    """Return the prefixes of the input, and made-up ones for the namespaces of the vocabulary that have none."""
    vocabulary = [size.name for sizes in (class_sizes(kb.store), property_sizes(kb.store)) for size in sizes]
    known = dict(kb.prefixes)
    for name, namespace in choose_prefixes([*vocabulary, RDF_TYPE], known).items():
        if name not in known and namespace not in known.values():
            known[name] = namespace
    return known


MOST_CHARACTERS = 20_000
"""The size of an answer, beyond which lines are left out."""

_LONGEST_LINE = 2_000

# Everybody knows these.
_KNOWN = frozenset({"rdf", "rdfs", "owl", "xsd"})

# A prefixed name, where no quoted string and no IRI has it inside.
_QUOTED_OR_PREFIX = re.compile(r'"(?:[^"\\]|\\.)*"|<[^<>\s]*>|(?<![\w.:-])([A-Za-z][\w.-]*|):(?=[^\s/])', re.DOTALL)


def bounded(lines: Iterable[str], prefixes: Mapping[str, str], *, hint: str = "narrow the question") -> str:
    """Return lines as one text of bounded size that ends with the prefixes it uses.

    >>> bounded(["e:a e:p e:b"], {"e": "http://e.org/", "f": "http://f.org/"})
    'e:a e:p e:b\\n\\nprefixes: e: <http://e.org/>'
    >>> bounded(["x" * 15_000, "y", "z" * 30_000], {}).splitlines()[-1]
    '[long values were shortened]'
    """
    shown: list[str] = []
    size, shortened, left = 0, False, 0
    for line in lines:
        part = line
        if len(line) > _LONGEST_LINE:
            part, shortened = f"{line[:_LONGEST_LINE]}...", True
        size += len(part) + 1
        if size > MOST_CHARACTERS or left:
            left += 1
        else:
            shown.append(part)
    text = "\n".join(shown)
    notes = [f"[cut: {left:,} more lines do not fit; {hint}]"] if left else []
    notes += ["[long values were shortened]"] if shortened else []
    used = {found[1] for found in _QUOTED_OR_PREFIX.finditer(text) if found[1] is not None}
    declared = [f"{name}: <{prefixes[name]}>" for name in sorted(used & prefixes.keys() - _KNOWN)]
    return "\n".join([text, *notes, *(["", f"prefixes: {', '.join(declared)}"] if declared else [])])


def first_of(rows: Iterable[str], most: int, total: int, *, what: str, hint: str) -> list[str]:
    """Return the first rows, and a line that says how many there are if that is not all.

    >>> first_of(["a", "b", "c"], 2, 3, what="answers", hint="raise limit")
    ['a', 'b', '[cut: 2 of 3 answers shown; raise limit]']
    """
    shown = list(islice(rows, most))
    return [*shown, f"[cut: {len(shown):,} of {total:,} {what} shown; {hint}]"] if total > len(shown) else shown


_READ = (
    *("overview", "search", "query", "describe", "explain", "entails", "violations"),
    *("rehearse_update", "rehearse_evolution"),
)
_WRITE = ("apply_update", "apply_evolution", "undo_evolution")

_INSTRUCTIONS = """\
An RDF/OWL store with everything that follows from it. Call overview first: it lists the vocabulary and the prefixes.
Inferred facts are in all answers; describe tells them from asserted ones, and explain proves them.
Before proposing a change of data or ontology, rehearse it: the report names every consequence, and nothing changes."""


def serve_stdio(kb: Reasoner, *, updates: bool = False) -> None:
    """Serve the tools of a reasoner until standard input ends; those that change it only if ``updates`` is on."""
    assistant_server(AssistantTools(kb), updates=updates).run("stdio")


def assistant_server(tools: AssistantTools, *, updates: bool = False) -> MCPServer[None]:
    """Return a server of the SDK with a tool for each method; an error of ours is told to the assistant."""
    try:
        from mcp.server import MCPServer
        from mcp.types import ToolAnnotations
    except ModuleNotFoundError as error:
        raise ReasonerError(f"the server for assistants needs mcp: {install_command('mcp')}") from error
    server: MCPServer[None] = MCPServer("reasoner", instructions=_INSTRUCTIONS, log_level="WARNING")
    for name in (*_READ, *(_WRITE if updates else ())):
        hints = ToolAnnotations(read_only_hint=name in _READ, destructive_hint=name in _WRITE, open_world_hint=False)
        server.add_tool(_telling_errors(getattr(tools, name)), annotations=hints, structured_output=False)
    return server


def _telling_errors(tool: Callable[..., str]) -> Callable[..., str]:
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def run(**arguments: object) -> str:
        try:
            return tool(**arguments)
        except (ReasonerError, MemoryError) as error:
            raise ToolError(str(error)) from error

    return run
