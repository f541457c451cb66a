"""The difference of two versions of an ontology, as a script that turns the one into the other.

1  renames        if they are asked for, the old version goes on under the new names; else they are remarks
2  ground triples are compared as a set; parts with blank nodes are paired off by isomorphism
3  what differs   is written as axioms where it is exactly the triples of one, and as Turtle where it is not
4  the script     is applied to the old version; if the new one does not come of it, all is written as Turtle

Names that may have changed between two versions: one is gone, one is new, and both have the same surroundings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from loaders.errors import ReasonerError
from loaders.terms import literal_parts
from ontologies.axioms import Axiom, Ontology, Triple
from ontologies.evolution.blank_parts import BlankPart, isomorphic, isomorphic_graphs, paired, parts_of, refined
from ontologies.evolution.compile_step import evolved
from ontologies.evolution.find_structure import axiom_triples
from ontologies.evolution.scan_script import with_plain_labels
from ontologies.evolution.script import (
    AddAxioms,
    AddTriples,
    Remark,
    RemoveAxioms,
    RemoveTriples,
    Rename,
    Script,
    Statement,
    Step,
)
from ontologies.read_functional import read_axiom
from ontologies.read_rdf import ontology_of_triples
from ontologies.vocabulary import is_reserved, owl
from ontologies.write_functional import write_functional
from reasoner.rules.prefixes import PREDECLARED, choose_prefixes, readable_name, shorten
from reasoner.terms.term import RDF_TYPE, RDFS, XSD

# The part of the surroundings that two names have to share.
_MOST_OF_IT = 0.6
# What more names than this have in common, such as being a class, tells nothing about any two of them.
_FEW = 20
# Predicates of remarks for readers; two versions of an ontology have two version IRIs, and none is renamed.
_REMARKS = frozenset(
    [f"<{RDFS}{name}>" for name in ("label", "comment", "seeAlso", "isDefinedBy")]
    + [
        owl(name)
        for name in (
            "versionInfo",
            "versionIRI",
            "priorVersion",
            "backwardCompatibleWith",
            "incompatibleWith",
            "imports",
        )
    ]
)


_ANNOTATION = owl("AnnotationProperty")


def suggest_renames(old: Iterable[Triple], new: Iterable[Triple]) -> list[tuple[str, str]]:
    """Return pairs of a name that is only in the old version and one that is only in the new.

    Both say the same and have the same said about them, other names that may have changed being told apart by the
    same means. Where several are alike, those with the same local name belong together. Of those that are left, two
    belong together if they share most of their surroundings, something of it that few others have, and neither shares
    as much with another. Remarks do not count: a person who is thanked in the place of another is no other name, and
    neither is a version.

    >>> old = [("<urn:Cat>", "<urn:p>", "<urn:a>"), ("<urn:Pup>", "<urn:q>", "<urn:Cat>")]
    >>> new = [("<urn:Feline>", "<urn:p>", "<urn:a>"), ("<urn:Kit>", "<urn:q>", "<urn:Feline>")]
    >>> suggest_renames(old, new)
    [('<urn:Cat>', '<urn:Feline>'), ('<urn:Pup>', '<urn:Kit>')]
    """
    before, after = [_apart(triple, "old") for triple in old], [_apart(triple, "new") for triple in new]
    old_names, new_names = _names(before), _names(after)
    remarks = _REMARKS | {s for s, p, o in (*before, *after) if p == RDF_TYPE and o == _ANNOTATION}
    gone = (old_names - new_names) & _in_structure(before, remarks)
    come = (new_names - old_names) & _in_structure(after, remarks)
    if not gone or not come:
        return []
    # Both versions are coloured as one graph, so that their colours can be compared.
    nodes = {**dict.fromkeys(gone | come, "name"), **dict.fromkeys(_blank_nodes([*before, *after]), "blank")}
    telling = [triple for triple in dict.fromkeys([*before, *after]) if any(term in nodes for term in triple)]
    alike: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for name, colour in refined(telling, nodes).items():
        if name in gone or name in come:
            alike[colour][name in come].append(name)
    pairs = [pair for group in alike.values() for pair in _pairs(*group)]
    known = {name for pair in pairs for name in pair}
    left = _surroundings(before, gone - known, nodes), _surroundings(after, come - known, nodes)
    return sorted([*pairs, *_closest(*left)])


def _pairs(gone: list[str], come: list[str]) -> list[tuple[str, str]]:
    if len(gone) == len(come) == 1:
        return [(gone[0], come[0])]
    by_name: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, names in enumerate((gone, come)):
        for name in names:
            by_name[readable_name(name)][side].append(name)
    return [(first[0], second[0]) for first, second in by_name.values() if len(first) == len(second) == 1]


def _surroundings(triples: list[Triple], names: set[str], nodes: Mapping[str, str]) -> dict[str, Counter[Triple]]:
    """Return what triples say about names, with the same word for all that may have another name now."""
    found: dict[str, Counter[Triple]] = {name: Counter() for name in names}
    for triple in triples:
        for name in names.intersection(triple):
            s, p, o = ("self" if term == name else nodes.get(term, term) for term in triple)
            found[name][s, p, o] += 1
    return found


def _closest(gone: dict[str, Counter[Triple]], come: dict[str, Counter[Triple]]) -> list[tuple[str, str]]:
    with_it: defaultdict[Triple, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, found in enumerate((gone, come)):
        for name, surroundings in found.items():
            for triple in surroundings:
                with_it[triple][side].append(name)
    pairs = {
        (first, second)
        for olds, news in with_it.values()
        if len(olds) <= _FEW and len(news) <= _FEW
        for first in olds
        for second in news
    }
    shares: dict[tuple[str, str], float] = {}
    rivals: defaultdict[str, list[float]] = defaultdict(list)
    for pair in sorted(pairs):
        own, other = gone[pair[0]], come[pair[1]]
        share = (own & other).total() / (own | other).total()
        if share >= _MOST_OF_IT:
            shares[pair] = share
            for name in pair:
                rivals[name].append(share)
    # A pair is its own rival once.
    return [
        pair
        for pair, share in shares.items()
        if all(sum(rival >= share for rival in rivals[name]) == 1 for name in pair)
    ]


def _in_structure(triples: list[Triple], remarks: Set[str]) -> set[str]:
    """Return the terms that are more than declared and mentioned in remarks: axioms or facts hold them."""
    found: set[str] = set()
    for s, p, o in triples:
        if p in remarks:
            found.add(p)
        elif p != RDF_TYPE or not is_reserved(o):
            found.update((s, p, o))
    return found


def _apart(triple: Triple, side: str) -> Triple:
    """Keep the blank nodes of the two versions apart."""
    s, p, o = (f"_:{side}{term[2:]}" if term.startswith("_:") else term for term in triple)
    return s, p, o


def _names(triples: list[Triple]) -> set[str]:
    """Return the names that can change: not those of the languages that all is written in."""
    named = {term for triple in triples for term in triple if term.startswith("<")}
    return {name for name in named if not is_reserved(name) and not name.startswith(f"<{XSD}")}


def _blank_nodes(triples: list[Triple]) -> set[str]:
    return {term for triple in triples for term in triple if term.startswith("_:")}


_ANNOTATED = owl("annotatedTarget")
_VERSION_INFO = owl("versionInfo")


def diff_ontologies(
    old: Ontology,
    new: Ontology,
    *,
    detect_renames: bool = False,
    name: str = "change",
    prefixes: Mapping[str, str] | None = None,
) -> Script:
    """Return the script that turns the old version into the new one, exactly but for the labels of blank nodes.

    It is written with ``prefixes``, or with those that the versions declare, and others where these do not suffice.

    >>> from ontologies.read_functional import read_functional
    >>> from ontologies.evolution.script import print_script
    >>> old = read_functional("Ontology(<http://e.org/o> SubClassOf(<http://e.org/A> <http://e.org/B>))")
    >>> new = read_functional("Ontology(<http://e.org/o> SubClassOf(<http://e.org/A> <http://e.org/C>))")
    >>> print(print_script(diff_ontologies(old, new)), end="")
    prefix org: <http://e.org/>
    <BLANKLINE>
    step "change"
      # perhaps: rename org:B to org:C
      remove SubClassOf(org:A org:B)
      add SubClassOf(org:A org:C)
    """
    declared = {**dict(old.prefixes), **dict(new.prefixes)} if prefixes is None else prefixes
    return diff_triples(old.triples, new.triples, detect_renames=detect_renames, name=name, prefixes=declared)


def step_name(old: Ontology, new: Ontology) -> str | None:
    """Name the step between two versions after what they call themselves; None if they do not say, or say the same.

    ``owl:versionInfo`` comes first, because it is short, then ``owl:versionIRI``.
    """
    for names in (_version_info(old), _version_info(new)), (old.version, new.version):
        first, second = (name and name.strip("<>") for name in names)
        if first and second and first != second:
            return f"{first} to {second}"
    return None


def _version_info(ontology: Ontology) -> str | None:
    found = [o for s, p, o in ontology.triples if p == _VERSION_INFO and s == ontology.iri and o.startswith('"')]
    return literal_parts(found[0]).lexical if len(found) == 1 else None


def diff_triples(
    old: Iterable[Triple],
    new: Iterable[Triple],
    *,
    detect_renames: bool = False,
    name: str = "change",
    prefixes: Mapping[str, str] | None = None,
) -> Script:
    """Return the script that turns one graph into another."""
    before, after = tuple(dict.fromkeys(old)), tuple(dict.fromkeys(new))
    own = _prefixes([*before, *after], prefixes)
    renames = suggest_renames(before, after)  # 1
    statements: list[Statement] = []
    start = before
    if detect_renames:
        statements += [Rename(*pair) for pair in renames]
        start = evolved(before, Script((Step(name, tuple(statements)),)))
    else:
        statements += [
            Remark(f"perhaps: rename {shorten(gone, own)} to {shorten(come, own)}") for gone, come in renames
        ]
    difference = _Difference(start, after)  # 2
    for as_axioms in (True, False):
        step = Step(name, (*statements, *difference.statements(own, as_axioms=as_axioms)))  # 3
        script = Script((step,) if step.statements else (), tuple(own.items()))
        if _leads_to(script, before, after):  # 4
            return script
    raise ReasonerError("the difference cannot be written as a script; this is an error of the program, not yours")


def _prefixes(triples: Iterable[Triple], declared: Mapping[str, str] | None) -> dict[str, str]:
    chosen = choose_prefixes(_iris(triples), declared)
    return {name: namespace for name, namespace in chosen.items() if name not in PREDECLARED}


@dataclass(slots=True)
class _Side:
    """What only one of the versions has."""

    graph: tuple[Triple, ...]
    ground: list[Triple] = field(default_factory=list)
    parts: list[BlankPart] = field(default_factory=list)
    # Parts of which the other version has some as well, or this one has several: no axiom says how many there are.
    copies: list[BlankPart] = field(default_factory=list)

    def written(self, prefixes: dict[str, str], as_axioms: bool) -> tuple[tuple[Axiom, ...], tuple[Triple, ...]]:
        """Return what differs as axioms, and the rest of it as triples, both in a fixed order."""
        axioms: dict[str, Axiom] = {}
        ground, parts = dict.fromkeys(self.ground), _PartsLeft(self.parts)
        if as_axioms and (ground or self.parts):
            annotated, known = {o for s, p, o in self.graph if p == _ANNOTATED}, set(self.graph)
            for axiom in ontology_of_triples(self.graph).axioms:
                triples = axiom_triples(axiom)
                # An axiom goes with the remarks about it, and a symmetric one both ways; either may be there to stay.
                if any(o in annotated or ((o, p, s) in known and o != s) for s, p, o in triples):
                    continue
                part = _match(triples, ground, parts)
                if part is not None and (text := _readable(axiom, triples, prefixes)):
                    axioms[text] = axiom
                    if isinstance(part, BlankPart):
                        parts.remove(part)
                    else:
                        del ground[part]
        rest = [*sorted(ground), *(t for one in _sorted([*parts.all(), *self.copies]) for t in one.triples)]
        return tuple(axioms[text] for text in sorted(axioms)), with_plain_labels(tuple(rest))


class _Difference:
    def __init__(self, old: Sequence[Triple], new: Sequence[Triple]) -> None:
        self.gone, self.come = _Side(tuple(old)), _Side(tuple(new))
        (old_ground, old_parts), (new_ground, new_parts) = parts_of(old), parts_of(new)
        stays = set(old_ground) & set(new_ground)
        self.gone.ground = [triple for triple in old_ground if triple not in stays]
        self.come.ground = [triple for triple in new_ground if triple not in stays]
        for group in paired(old_parts, new_parts):
            if not group.surplus:
                continue
            side, found = (self.come, group.new) if group.surplus > 0 else (self.gone, group.old)
            whole = len(group.old) + len(group.new) == 1
            (side.parts if whole else side.copies).extend(found[: abs(group.surplus)])

    def statements(self, prefixes: dict[str, str], *, as_axioms: bool) -> list[Statement]:
        found: list[Statement] = []
        axioms, triples = self.gone.written(prefixes, as_axioms)
        found += [RemoveAxioms(axioms)] if axioms else []
        found += [RemoveTriples(triples)] if triples else []
        axioms, triples = self.come.written(prefixes, as_axioms)
        found += [AddAxioms(axioms)] if axioms else []
        return [*found, AddTriples(triples)] if triples else found


def _leads_to(script: Script, old: tuple[Triple, ...], new: tuple[Triple, ...]) -> bool:
    try:
        return isomorphic_graphs(evolved(old, script), new)
    except ReasonerError:
        # Two axioms may share what goes with the first of them.
        return False


class _PartsLeft:
    """Parts with blank nodes that no axiom stands for yet, found by what isomorphic ones have in common."""

    def __init__(self, parts: Iterable[BlankPart]) -> None:
        self._alike: dict[str, list[BlankPart]] = {}
        for part in parts:
            self._alike.setdefault(part.invariant, []).append(part)

    def find(self, wanted: BlankPart) -> BlankPart | None:
        return next((part for part in self._alike.get(wanted.invariant, ()) if isomorphic(part, wanted)), None)

    def remove(self, part: BlankPart) -> None:
        self._alike[part.invariant].remove(part)

    def all(self) -> list[BlankPart]:
        return [part for parts in self._alike.values() for part in parts]


def _match(triples: tuple[Triple, ...], ground: dict[Triple, None], parts: _PartsLeft) -> Triple | BlankPart | None:
    """Return the triple, or the part, that is exactly the triples of an axiom."""
    plain, blank = parts_of(triples)
    if len(plain) == 1 and not blank:
        return plain[0] if plain[0] in ground else None
    if plain or len(blank) != 1:
        return None
    return parts.find(blank[0])


def _readable(axiom: Axiom, triples: tuple[Triple, ...], prefixes: dict[str, str]) -> str:
    """Return the text of an axiom if it reads back as the same triples, else nothing."""
    text = write_functional(axiom, prefixes)
    try:
        again = axiom_triples(read_axiom(text, prefixes=prefixes))
    except ReasonerError:
        return ""
    return text if isomorphic_graphs(again, triples) else ""


def _sorted(parts: list[BlankPart]) -> list[BlankPart]:
    return sorted(parts, key=lambda part: (min(tuple(_name(term) for term in t) for t in part.triples), part.invariant))


def _name(term: str) -> str:
    return "_" if term.startswith("_:") else term


def _iris(triples: Iterable[Triple]) -> list[str]:
    return [term for triple in triples for term in triple if term.startswith("<")]
