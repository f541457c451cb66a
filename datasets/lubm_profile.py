"""How large the parts of a LUBM university are: the data profile of Guo, Pan, Heflin (2005)."""

from __future__ import annotations

from dataclasses import dataclass

Range = tuple[int, int]
"""Smallest and largest value, both possible, all between them equally likely."""


@dataclass(frozen=True, slots=True)
class Rank:
    """One kind of faculty. Professors have a research interest and advise students; lecturers do neither."""

    name: str
    members: Range
    publications: Range
    professor: bool = True


@dataclass(frozen=True, slots=True)
class Profile:
    """The cardinalities of a university and of each of its departments; the defaults are LUBM's."""

    departments: Range = (15, 25)
    ranks: tuple[Rank, ...] = (
        Rank("FullProfessor", (7, 10), (15, 20)),
        Rank("AssociateProfessor", (10, 14), (10, 18)),
        Rank("AssistantProfessor", (8, 11), (5, 10)),
        Rank("Lecturer", (5, 7), (0, 5), professor=False),
    )
    courses_taught: Range = (1, 2)
    graduate_courses_taught: Range = (1, 2)
    research_groups: Range = (10, 20)
    undergraduates_per_faculty: Range = (8, 14)
    graduates_per_faculty: Range = (3, 4)
    undergraduate_courses_taken: Range = (2, 4)
    graduate_courses_taken: Range = (1, 3)
    publications_coauthored: Range = (0, 5)
    one_teaching_assistant_in: Range = (4, 5)
    one_research_assistant_in: Range = (3, 4)
    one_advised_undergraduate_in: int = 5
    degree_universities: int = 1000
    research_topics: int = 30


LUBM_PROFILE = Profile()

SMALL_PROFILE = Profile(
    departments=(2, 2),
    ranks=(
        Rank("FullProfessor", (2, 3), (2, 4)),
        Rank("AssociateProfessor", (2, 4), (1, 3)),
        Rank("AssistantProfessor", (2, 3), (1, 2)),
        Rank("Lecturer", (1, 2), (0, 1), professor=False),
    ),
    research_groups=(2, 4),
    undergraduates_per_faculty=(6, 8),
    graduates_per_faculty=(2, 3),
    publications_coauthored=(0, 2),
    degree_universities=40,
)
"""Departments of about a thousand triples, for demonstrations: every kind of fact is there, and few of each."""
