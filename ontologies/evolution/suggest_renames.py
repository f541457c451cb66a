"""Names that may have changed between two versions: one is gone, one is new, and both have the same surroundings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set

from ontologies.axioms import Triple
from ontologies.evolution.blank_parts import refined
from ontologies.vocabulary import is_reserved, owl
from reasoner.rules.prefixes import readable_name
from reasoner.rules.term import RDF_TYPE, RDFS, XSD

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
