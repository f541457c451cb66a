"""LUBM: the cardinalities of the published profile, checked alike on our data and on the original's."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

import pytest

from datasets.dataset import DatasetError
from datasets.lubm import department, department_count, lubm
from datasets.lubm_ontology import LUBM
from datasets.statements import RDF, triples

from .conformance import needs_lubm, sample

RANKS = {
    "FullProfessor": ((7, 10), (15, 20)),
    "AssociateProfessor": ((10, 14), (10, 18)),
    "AssistantProfessor": ((8, 11), (5, 10)),
    "Lecturer": ((5, 7), (0, 5)),
}
OWNER = re.compile(r"<http://www\.(Department\d+\.University\d+)\.edu")
DIGITS = re.compile(r"\d+")


class Facts:
    """The statements about one department: members by class, and pairs by property, without repetitions."""

    def __init__(self) -> None:
        self.members: defaultdict[str, set[str]] = defaultdict(set)
        self.pairs: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)

    def counts(self, property: str, subject: str = "", object: str = "") -> Counter[str]:
        """Count the values of each subject of a property; both ends may be narrowed to a class."""
        return Counter(
            s
            for s, o in self.pairs[property]
            if (not subject or s in self.members[subject]) and (not object or o in self.members[object])
        )

    def inverse_counts(self, property: str, object: str) -> Counter[str]:
        return Counter(o for _, o in self.pairs[property] if o in self.members[object])


def by_department(blocks: Iterable[str]) -> dict[str, Facts]:
    departments: defaultdict[str, Facts] = defaultdict(Facts)
    for s, p, o in triples(blocks):
        if match := OWNER.match(s):
            facts = departments[match[1]]
            if p == f"<{RDF}type>":
                facts.members[o.removeprefix(f"<{LUBM}")[:-1]].add(s)
            else:
                facts.pairs[p.removeprefix(f"<{LUBM}")[:-1]].add((s, o))
    return departments


def within(value: float, low: float, high: float) -> bool:
    return low <= value <= high


def each_within(counts: Counter[str], subjects: set[str], low: int, high: int) -> bool:
    return all(low <= counts[subject] <= high for subject in subjects) and counts.keys() <= subjects


def assert_profile(facts: Facts) -> None:
    members = facts.members
    for rank, (size, publications) in RANKS.items():
        assert within(len(members[rank]), *size)
        assert each_within(facts.inverse_counts("publicationAuthor", rank), members[rank], *publications)
    faculty = set().union(*(members[rank] for rank in RANKS))
    professors = faculty - members["Lecturer"]
    undergraduates, graduates = members["UndergraduateStudent"], members["GraduateStudent"]
    assert len(facts.pairs["headOf"]) == 1
    assert {head for head, _ in facts.pairs["headOf"]} <= members["FullProfessor"]
    for kind in ("Course", "GraduateCourse"):
        assert each_within(facts.counts("teacherOf", object=kind), faculty, 1, 2)
        taught = [o for _, o in facts.pairs["teacherOf"] if o in members[kind]]
        assert sorted(taught) == sorted(members[kind]), "courses are taught, and by one teacher each"
    for degree in ("mastersDegreeFrom", "doctoralDegreeFrom"):
        assert each_within(facts.counts(degree), faculty, 1, 1)
    assert each_within(facts.counts("undergraduateDegreeFrom"), faculty | graduates, 1, 1)
    assert each_within(facts.counts("worksFor"), faculty, 1, 1)
    assert each_within(facts.counts("memberOf"), undergraduates | graduates, 1, 1)
    assert each_within(facts.counts("researchInterest"), professors, 1, 1)
    assert within(len(members["ResearchGroup"]), 10, 20)
    assert within(len(undergraduates) / len(faculty), 8, 14)
    assert within(len(graduates) / len(faculty), 3, 4)
    assert each_within(facts.counts("takesCourse", "UndergraduateStudent", "Course"), undergraduates, 2, 4)
    assert each_within(facts.counts("takesCourse", "GraduateStudent", "GraduateCourse"), graduates, 1, 3)
    assert each_within(facts.counts("advisor", "GraduateStudent"), graduates, 1, 1)
    assert each_within(facts.counts("advisor", "UndergraduateStudent"), undergraduates, 0, 1)
    assert {o for _, o in facts.pairs["advisor"]} <= professors
    assert each_within(facts.inverse_counts("publicationAuthor", "GraduateStudent"), graduates, 0, 5)
    assert_assistants(facts, graduates)


def assert_assistants(facts: Facts, graduates: set[str]) -> None:
    teaching, research = facts.members["TeachingAssistant"], facts.members["ResearchAssistant"]
    assert within(len(teaching), len(graduates) // 5, len(graduates) / 4)
    assert within(len(research), len(graduates) // 4, len(graduates) / 3)
    assert teaching | research <= graduates
    assert not teaching & research
    assert each_within(facts.counts("teachingAssistantOf", object="Course"), teaching, 1, 1)
    assert max(facts.inverse_counts("teachingAssistantOf", "Course").values()) == 1


@pytest.mark.parametrize("seed", range(3))
def test_every_department_keeps_to_the_published_profile(seed):
    departments = by_department(lubm(departments=3, seed=seed).facts())

    assert len(departments) == 3
    for facts in departments.values():
        assert_profile(facts)


def test_a_fifth_of_the_undergraduates_is_advised():
    departments = by_department(lubm().facts()).values()

    advised = sum(len(facts.counts("advisor", "UndergraduateStudent")) for facts in departments)

    assert within(advised / sum(len(facts.members["UndergraduateStudent"]) for facts in departments), 0.18, 0.22)


def test_a_university_has_15_to_25_departments_and_all_numbers_occur():
    assert {department_count(university, 0) for university in range(200)} == set(range(15, 26))


def test_one_university_has_about_a_hundred_thousand_triples():
    count = sum(block.count("\n") for block in lubm().facts())

    assert department_count(0, 0) == 15
    assert within(count, 95_000, 110_000)


def test_the_same_seed_gives_the_same_text_and_another_seed_another():
    first = "".join(lubm(departments=1, seed=5).facts())

    assert first == "".join(lubm(departments=1, seed=5).facts())
    assert first != "".join(lubm(departments=1, seed=6).facts())


def test_a_larger_data_set_starts_with_the_smaller_one():
    small, large = ("".join(lubm(universities=n, departments=1).facts()) for n in (1, 2))

    assert large.startswith(small)
    assert len(large) > len(small)


def test_iris_follow_the_scheme_of_the_benchmark():
    made = department(3, 7, seed=0)

    assert made.iri == "<http://www.Department7.University3.edu>"
    assert made.members["GraduateStudent"][7] == "<http://www.Department7.University3.edu/GraduateStudent7>"
    assert made.members["Publication"][0] == "<http://www.Department7.University3.edu/FullProfessor0/Publication0>"
    assert f"{made.iri} <{LUBM}subOrganizationOf> <http://www.University3.edu> .\n" in made.text
    assert '"GraduateStudent7@Department7.University3.edu"' in made.text


def test_degrees_come_from_a_thousand_universities():
    degrees = {
        int(DIGITS.search(o)[0])
        for facts in by_department(lubm().facts()).values()
        for property in ("undergraduateDegreeFrom", "mastersDegreeFrom", "doctoralDegreeFrom")
        for _, o in facts.pairs[property]
    }

    assert degrees <= set(range(1000))
    assert len(degrees) > 900


def test_no_universities_are_refused_by_name():
    with pytest.raises(DatasetError, match="universities must be at least 1, not 0"):
        lubm(universities=0)


@needs_lubm
def test_the_original_keeps_to_the_profile_as_we_read_it():
    departments = by_department(sample("lubm1.nt.gz"))

    assert len(departments) == 15
    for facts in departments.values():
        assert_profile(facts)


@needs_lubm
def test_our_statements_have_the_shapes_of_the_original_in_like_numbers():
    """A shape is a statement without its numbers; LUBM(1) has fifteen departments here and there."""
    ours, theirs = (shapes(blocks) for blocks in (lubm().facts(), sample("lubm1.nt.gz")))

    assert ours.keys() == theirs.keys()
    for shape, count in theirs.items():
        tolerance = 0.15 if count > 1000 else 0.25
        assert within(ours[shape] / count, 1 - tolerance, 1 + tolerance), shape


def shapes(blocks: Iterable[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(DIGITS.sub("N", term) for term in triple) for triple in triples(blocks))
