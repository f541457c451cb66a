"""The data sets by name, with what can be asked of each: what a command line needs to offer them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .bach import bach
from .dataset import Dataset, DatasetError
from .graphs import CLIQUE_SHAPES, EQUALITY_LINKS, chain, cliques, dag, equality_classes
from .hierarchies import database_like, dl_like, subclass_axioms, taxonomy
from .idle_axioms import IDLE_KINDS, idle_axioms
from .lubm import lubm
from .proofs import proof_chain, proof_tree
from .university_identities import generate as university_identities


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that can be asked of a generator: a number, or one of ``choices``."""

    name: str
    default: int | str
    help: str
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> int | str:
        """Return the value that ``text`` stands for, as from a command line.

        >>> Parameter("nodes", 10, "how many").parse("12")
        12
        """
        if isinstance(self.default, int):
            try:
                return int(text)
            except ValueError:
                raise DatasetError(f"{self.name} must be a whole number, not {text!r}") from None
        if text not in self.choices:
            raise DatasetError(f"{self.name} must be one of {', '.join(self.choices)}, not {text!r}")
        return text


@dataclass(frozen=True, slots=True)
class Generator:
    """A named function that returns a data set. ``seeded`` tells whether it makes any random choice."""

    name: str
    description: str
    function: Callable[..., Dataset]
    parameters: tuple[Parameter, ...] = ()
    seeded: bool = True

    def build(self, *, seed: int = 0, **parameters: int | str) -> Dataset:
        """Return the data set; the seed of a generator that makes no choices is ignored."""
        known = [parameter.name for parameter in self.parameters]
        for name in parameters:
            if name not in known:
                has = f"it has {', '.join(known)}" if known else "it has none"
                raise DatasetError(f"{self.name} has no parameter {name}; {has}")
        if self.seeded:
            return self.function(seed=seed, **parameters)
        return self.function(**parameters)


def generator(name: str) -> Generator:
    """Return the generator of that name, or raise a ``DatasetError`` that lists those there are."""
    try:
        return GENERATORS[name]
    except KeyError:
        raise DatasetError(f"there is no data set {name!r}; choose from {', '.join(GENERATORS)}") from None


_TREE = (
    Parameter("depth", 3, "levels of the class tree"),
    Parameter("branching", 5, "subclasses of each class"),
    Parameter("instances", 5, "instances of each class"),
)
_PROPERTIES = Parameter("properties", 5, "properties of each class")

GENERATORS: Mapping[str, Generator] = MappingProxyType(
    {
        generator.name: generator
        for generator in (
            Generator(
                "lubm",
                "LUBM after its specification: about 137,000 triples a university",
                lubm,
                (
                    Parameter("universities", 1, "number of universities"),
                    Parameter("departments", 0, "departments of each university; 0 for 15 to 25, as in the benchmark"),
                ),
            ),
            Generator(
                "university-identities",
                "LUBM where people have several names: sameAs, (inverse-)functional, symmetric, transitive properties",
                university_identities,
                (
                    Parameter("universities", 1, "number of universities"),
                    Parameter("departments", 0, "small departments of each university; 0 for 15 to 25 full-sized ones"),
                    Parameter("aliased_percent", 20, "people with more than one name, in percent"),
                    Parameter("big_classes", 2, "people with very many names"),
                    Parameter("big_class_members", 50, "names of each of these"),
                ),
            ),
            Generator("taxonomy", "a tree of classes with instances", taxonomy, _TREE, seeded=False),
            Generator(
                "database-like",
                "a tree of classes with properties and their values",
                database_like,
                (*_TREE, _PROPERTIES),
            ),
            Generator(
                "dl-like", "a tree of classes defined by unions and existentials", dl_like, (*_TREE, _PROPERTIES)
            ),
            Generator(
                "subclass-axioms",
                "many subclass axioms; the number of derived facts does not depend on how many",
                subclass_axioms,
                (
                    Parameter("axioms", 100, "number of subclass axioms, a multiple of depth"),
                    Parameter("instances", 200_000, "number of instances"),
                    Parameter("depth", 5, "axioms in a chain, which is derived facts of each instance"),
                ),
            ),
            Generator(
                "idle-axioms",
                "subclass axioms, and many more axioms that never derive anything",
                idle_axioms,
                (
                    Parameter("axioms", 100, "number of subclass axioms that derive types, a multiple of 5"),
                    Parameter("idle", 9900, "number of axioms that derive nothing"),
                    Parameter("kind", "subclass", "what the idle axioms are", IDLE_KINDS),
                    Parameter("instances", 20_000, "number of instances"),
                    Parameter("aliased_percent", 0, "instances with a second name, in percent"),
                ),
            ),
            Generator(
                "chain",
                "a chain of a transitive property",
                chain,
                (Parameter("length", 1000, "number of edges"),),
                seeded=False,
            ),
            Generator(
                "dag",
                "a random directed acyclic graph of a transitive property",
                dag,
                (Parameter("nodes", 2000, "number of nodes"), Parameter("edges", 20_000, "number of edges")),
            ),
            Generator(
                "cliques",
                "groups that a symmetric and transitive property makes into cliques",
                cliques,
                (
                    Parameter("count", 50, "number of cliques"),
                    Parameter("size", 120, "nodes of each clique"),
                    Parameter("shape", "ring", "the asserted edges of a clique", CLIQUE_SHAPES),
                ),
                seeded=False,
            ),
            Generator(
                "equality-classes",
                "large classes of equal members with facts about them",
                equality_classes,
                (
                    Parameter("classes", 10, "number of equality classes"),
                    Parameter("members", 300, "members of each class"),
                    Parameter("facts_per_member", 3, "facts about each member"),
                    Parameter("links", "chain", "what makes the members equal", EQUALITY_LINKS),
                ),
            ),
            Generator(
                "proof-chain",
                "a chain of nodes that reach the next; one is asserted to be reached and derived as well",
                proof_chain,
                (
                    Parameter("length", 2000, "number of nodes"),
                    Parameter("asserted", 1999, "number of the node that is asserted as well, from 2"),
                ),
                seeded=False,
            ),
            Generator(
                "proof-tree",
                "a tree whose leaves reach its root, which is asserted to be reached as well",
                proof_tree,
                (Parameter("fan_out", 70, "children of each node"), Parameter("depth", 3, "levels below the root")),
                seeded=False,
            ),
            Generator("bach", "the Bach family, nine ancestors to show maintenance by", bach, seeded=False),
        )
    }
)
