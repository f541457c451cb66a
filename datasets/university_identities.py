"""LUBM whose people have several names: messy identities in the spirit of UOBM (Ma et al. 2006).

Every department comes from LUBM; the staff directory, the library and the guest lists of other departments then name
a part of its people once more. Whatever is said of a person is said of any of the names, so that facts come together
only when a reasoner finds out who is who. What makes two names equal differs from person to person:

- chain, star, tangle: ``owl:sameAs`` from name to name, from one name to all, or in both directions with a cycle
- identifier, mailbox, number: they share a value of an inverse-functional property or of a key
- advisor, head, spouse: they are values of a functional property of somebody, whose own names may have to be found
  equal first

A few people have very many names. Nobody is equal to anybody else by mistake: ``true_identities`` tells what must come
out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from .dataset import Dataset, DatasetError, at_least
from .draw import Draw
from .identity_links import LINKS, Names, link
from .lubm import Department, department, department_count, university_statements
from .lubm_ontology import term as lubm
from .lubm_profile import LUBM_PROFILE, SMALL_PROFILE
from .statements import TYPE, statement
from .university_identities_ontology import (
    HAS_HEAD,
    IS_FRIEND_OF,
    IS_MARRIED_TO,
    MAIN_ADVISOR,
    PERSON,
    SAME_HOME_TOWN,
    university_identities_ontology,
)

TOWN = 8
"""People of a department who come from the same town."""


def generate(
    *,
    universities: int = 1,
    departments: int = 0,
    aliased_percent: int = 20,
    big_classes: int = 2,
    big_class_members: int = 50,
    seed: int = 0,
) -> Dataset:
    """Return universities with messy identities.

    With ``departments`` given, each university has that many small ones of some 1,500 triples each, for a
    demonstration; otherwise 15 to 25 of LUBM's size. ``aliased_percent`` of the people have more than one name, two to
    five in all; ``big_classes`` visitors have ``big_class_members`` names each.
    """
    parts = _Parts(universities, departments, aliased_percent, big_classes, big_class_members, seed)

    def facts() -> Iterator[str]:
        for text, _ in parts:
            yield text

    return Dataset(university_identities_ontology(), facts)


def true_identities(
    *,
    universities: int = 1,
    departments: int = 0,
    aliased_percent: int = 20,
    big_classes: int = 2,
    big_class_members: int = 50,
    seed: int = 0,
) -> Iterator[Names]:
    """Yield the names of each person who has more than one, for the same arguments as ``generate``."""
    parts = _Parts(universities, departments, aliased_percent, big_classes, big_class_members, seed)
    for _, classes in parts:
        yield from classes


@dataclass(frozen=True, slots=True)
class _Parts:
    """The blocks of a data set, each with the identities that it introduces."""

    universities: int
    departments: int
    aliased_percent: int
    big_classes: int
    big_class_members: int
    seed: int

    def __post_init__(self) -> None:
        at_least(1, universities=self.universities)
        at_least(0, departments=self.departments, aliased_percent=self.aliased_percent, big_classes=self.big_classes)
        at_least(2, big_class_members=self.big_class_members)
        if self.aliased_percent > 100:
            raise DatasetError(f"aliased_percent must be at most 100, not {self.aliased_percent}")

    def __iter__(self) -> Iterator[tuple[str, list[Names]]]:
        profile = SMALL_PROFILE if self.departments else LUBM_PROFILE
        for university in range(self.universities):
            yield university_statements(university), []
            count = self.departments or department_count(university, self.seed)
            for number in range(count):
                plain = department(university, number, self.seed, profile)
                draw = Draw("identities", self.seed, university, number)
                neighbour = f"Department{(number + 1) % count}.University{university}.edu"
                extension = _Extension(plain, neighbour, self.aliased_percent, draw)
                yield plain.text + extension.build(), extension.classes
        for visitor in range(self.big_classes):
            yield self._visitor(visitor)

    def _visitor(self, visitor: int) -> tuple[str, list[Names]]:
        """Return somebody who has been everywhere, and was given a new name each time."""
        draw = Draw("visitor", self.seed, visitor)
        departments = self.departments or LUBM_PROFILE.departments[0]
        names = tuple(f"<http://visitors.example.org/{visitor}/{visit}>" for visit in range(self.big_class_members))
        lines = [link(names, LINKS[visitor % len(LINKS)], f"visitor-{visitor}", draw)]
        for visit, name in enumerate(names):
            university = draw.below(self.universities)
            host = f"<http://www.Department{visit % departments}.University{university}.edu>"
            lines.append(statement(name, TYPE, lubm("VisitingProfessor")))
            lines.append(statement(name, lubm("memberOf"), host))
            lines.append(statement(name, lubm("name"), f'"Visitor{visitor}, visit {visit}"'))
        return "".join(lines), [names]


class _Extension:
    """What is said of one department beyond LUBM, and under how many names."""

    def __init__(self, plain: Department, neighbour: str, aliased_percent: int, draw: Draw) -> None:
        self.plain = plain
        self.host = plain.iri[1:-1].removeprefix("http://www.")
        self.neighbour = neighbour
        self.aliased_percent = aliased_percent
        self.draw = draw
        members = plain.members
        self.professors = [
            name for rank in ("FullProfessor", "AssociateProfessor", "AssistantProfessor") for name in members[rank]
        ]
        self.students = members["GraduateStudent"] + members["UndergraduateStudent"]
        self.people = self.professors + members["Lecturer"] + self.students
        self.names: dict[str, Names] = {}
        self.lines: list[str] = []

    @property
    def classes(self) -> list[Names]:
        return [names for names in self.names.values() if len(names) > 1]

    def build(self) -> str:
        for number, person in enumerate(self.people):
            aliased = person == self.plain.head or self.draw.below(100) < self.aliased_percent
            self.names[person] = (person, *(self._aliases(number) if aliased else ()))
        self._link_people()
        self._describe_aliases()
        self._friends_and_towns()
        return "".join(self.lines)

    def _aliases(self, number: int) -> list[str]:
        return [
            self.draw.choice(
                (
                    f"<http://directory.example.org/{self.host}/{number}/{alias}>",
                    f"<http://library.example.org/readers/{self.host}-{number}-{alias}>",
                    f"<http://www.{self.neighbour}/Guest{number}-{alias}>",
                )
            )
            for alias in range(self.draw.between(1, 4))
        ]

    def _any_name(self, person: str) -> str:
        return self.draw.choice(self.names[person])

    def _link_people(self) -> None:
        draw, head = self.draw, self.plain.head
        self.lines.extend(statement(self.plain.iri, HAS_HEAD, name) for name in self.names[head])
        advised: dict[str, str] = {
            student: draw.choice(self.professors) for student in self.plain.members["GraduateStudent"]
        }
        # A spouse is unmarried until then and has names that do not wait for a marriage, so no two wait for each other.
        kinds = {
            person: draw.choice((*LINKS, "spouse", "advisor" if person in self.professors else "spouse"))
            for person in self.people
            if len(self.names[person]) > 1 and person != head
        }
        spouses = draw.shuffled([person for person in self.students if kinds.get(person) not in ("spouse", "advisor")])
        for number, (person, kind) in enumerate(kinds.items()):
            names = self.names[person]
            students = [student for student, advisor in advised.items() if advisor == person]
            if kind == "advisor" and students:
                student = draw.choice(students)
                self.lines.extend(statement(self._any_name(student), MAIN_ADVISOR, name) for name in names)
            elif kind == "spouse" and spouses:
                spouse = spouses.pop()
                self.lines.extend(statement(self._any_name(spouse), IS_MARRIED_TO, name) for name in names)
            else:
                self.lines.append(
                    link(names, kind if kind in LINKS else draw.choice(LINKS), f"{self.host}-{number}", draw)
                )
        for student, advisor in advised.items():
            self.lines.append(statement(self._any_name(student), MAIN_ADVISOR, self._any_name(advisor)))

    def _describe_aliases(self) -> None:
        draw = self.draw
        for person, (_, *aliases) in self.names.items():
            for number, alias in enumerate(aliases):
                name = person[:-1].rsplit("/", 1)[1]
                self.lines.append(statement(alias, lubm("name"), f'"{name} ({number})"'))
                if draw.below(2):
                    self.lines.append(statement(alias, TYPE, PERSON))
                if draw.below(2):
                    self.lines.append(statement(alias, lubm("telephone"), f'"{draw.between(100, 999)}-xxx-xxxx"'))
                if draw.below(2) and person in self.students:
                    course = draw.choice(self.plain.members["Course"])
                    self.lines.append(statement(alias, lubm("takesCourse"), course))

    def _friends_and_towns(self) -> None:
        draw, people = self.draw, self.people
        for person in people:
            friend = draw.choice(people)
            if friend != person:
                self.lines.append(statement(self._any_name(person), IS_FRIEND_OF, self._any_name(friend)))
        shuffled = draw.shuffled(people)
        for start in range(0, len(shuffled), TOWN):
            town = shuffled[start : start + TOWN]
            for one, other in pairwise(town):
                self.lines.append(statement(self._any_name(one), SAME_HOME_TOWN, self._any_name(other)))
