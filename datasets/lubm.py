"""LUBM: universities after the published profile of the benchmark (Guo, Pan, Heflin 2005), a department at a time.

Same ontology, same IRIs, same cardinalities as the original generator, other dice: a data set of n universities is
statistically like LUBM(n, seed), not equal to it. Each department has a stream of choices of its own, so the first
university of LUBM(10) is that of LUBM(1). As in the original, every degree states again that the university which
gave it is one, so about one statement in thirty is a repetition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .dataset import Dataset, at_least
from .draw import Draw
from .lubm_ontology import lubm_ontology, term
from .lubm_profile import LUBM_PROFILE, Profile
from .statements import TYPE, statement

NAME, TELEPHONE, EMAIL = term("name"), term("telephone"), term("emailAddress")
UNIVERSITY = term("University")


def lubm(*, universities: int = 1, departments: int = 0, seed: int = 0) -> Dataset:
    """Return LUBM(``universities``); ``departments`` per university, or 15 to 25 as in the benchmark if it is 0."""
    at_least(1, universities=universities)
    at_least(0, departments=departments)

    def facts() -> Iterator[str]:
        for university in range(universities):
            yield university_statements(university)
            for number in range(departments or department_count(university, seed)):
                yield department(university, number, seed).text

    return Dataset(lubm_ontology(), facts)


@dataclass(frozen=True, slots=True)
class Department:
    """A generated department: its statements, and who and what is in it (terms, by class name in order of number)."""

    iri: str
    text: str
    members: dict[str, list[str]]
    head: str


def department_count(university: int, seed: int, profile: Profile = LUBM_PROFILE) -> int:
    """Return how many departments a university has."""
    # Of several words for this key, the one under which seed 0 has 15 departments in its first university, as the
    # original LUBM(1, 0) has; other seeds give anything from 15 to 25, and so up to 170,000 triples.
    return Draw("univ-bench", seed, university).between(*profile.departments)


def university_statements(university: int) -> str:
    """Return what is said of a university before its departments are."""
    iri = f"<http://www.University{university}.edu>"
    return statement(iri, TYPE, UNIVERSITY) + statement(iri, NAME, f'"University{university}"')


def department(university: int, number: int, seed: int, profile: Profile = LUBM_PROFILE) -> Department:
    """Return one department; it depends on nothing but the arguments."""
    return _Builder(university, number, profile, Draw("univ-bench", seed, university, number)).build()


class _Builder:
    """Writes one department, with one format string a person: this is what makes the generator fast."""

    def __init__(self, university: int, number: int, profile: Profile, draw: Draw) -> None:
        self.university = f"<http://www.University{university}.edu>"
        self.number = number
        self.host = f"Department{number}.University{university}.edu"
        self.iri = f"<http://www.{self.host}>"
        self.profile = profile
        self.draw = draw
        self.lines: list[str] = []
        self.members: dict[str, list[str]] = {}
        self.courses: list[str] = []
        self.graduate_courses: list[str] = []
        self.head = ""

    def build(self) -> Department:
        self.lines.append(
            statement(self.iri, TYPE, term("Department"))
            + statement(self.iri, NAME, f'"Department{self.number}"')
            + statement(self.iri, term("subOrganizationOf"), self.university)
            + statement(self.university, TYPE, UNIVERSITY)
        )
        self._faculty()
        faculty = sum(len(self.members[rank.name]) for rank in self.profile.ranks)
        self._undergraduates(faculty)
        self._graduates(faculty)
        self._research_groups()
        self._publications()
        self._courses()
        self._assistants()
        return Department(self.iri, "".join(self.lines), self.members, self.head)

    def _terms(self, name: str, count: int) -> list[str]:
        terms = [f"<http://www.{self.host}/{name}{number}>" for number in range(count)]
        self.members[name] = terms
        return terms

    def _contact(self, s: str, name: str, membership: str) -> str:
        return (
            f'{s} {NAME} "{name}" .\n{s} {membership} {self.iri} .\n'
            f'{s} {EMAIL} "{name}@{self.host}" .\n{s} {TELEPHONE} "xxx-xxx-xxxx" .\n'
        )

    def _degree(self, s: str, property: str) -> str:
        university = f"<http://www.University{self.draw.below(self.profile.degree_universities)}.edu>"
        return f"{s} {property} {university} .\n{university} {TYPE} {UNIVERSITY} .\n"

    def _faculty(self) -> None:
        draw, profile, works_for, teacher_of = self.draw, self.profile, term("worksFor"), term("teacherOf")
        degrees = [term(name) for name in ("undergraduateDegreeFrom", "mastersDegreeFrom", "doctoralDegreeFrom")]
        for rank in profile.ranks:
            class_ = term(rank.name)
            for number, s in enumerate(self._terms(rank.name, draw.between(*rank.members))):
                lines = [f"{s} {TYPE} {class_} .\n", self._contact(s, f"{rank.name}{number}", works_for)]
                for kind, taught, courses in (
                    ("Course", profile.courses_taught, self.courses),
                    ("GraduateCourse", profile.graduate_courses_taught, self.graduate_courses),
                ):
                    for _ in range(draw.between(*taught)):
                        courses.append(f"<http://www.{self.host}/{kind}{len(courses)}>")
                        lines.append(f"{s} {teacher_of} {courses[-1]} .\n")
                lines.extend(self._degree(s, degree) for degree in degrees)
                if rank.professor:
                    topic = draw.below(profile.research_topics)
                    lines.append(f'{s} {term("researchInterest")} "Research{topic}" .\n')
                self.lines.append("".join(lines))
        self.head = draw.choice(self.members["FullProfessor"])
        self.lines.append(statement(self.head, term("headOf"), self.iri))
        self.members["Course"], self.members["GraduateCourse"] = self.courses, self.graduate_courses

    def _advisor(self) -> str:
        # By rank first, as in the original: an associate professor advises fewer students than a full professor.
        ranks = [rank.name for rank in self.profile.ranks if rank.professor]
        return self.draw.choice(self.members[self.draw.choice(ranks)])

    def _undergraduates(self, faculty: int) -> None:
        draw, courses, add = self.draw, self.courses, self.lines.append
        class_, member_of, takes, advisor = map(term, ("UndergraduateStudent", "memberOf", "takesCourse", "advisor"))
        one_in, taken = self.profile.one_advised_undergraduate_in, self.profile.undergraduate_courses_taken
        low, high = self.profile.undergraduates_per_faculty
        for number, s in enumerate(self._terms("UndergraduateStudent", draw.between(faculty * low, faculty * high))):
            add(f"{s} {TYPE} {class_} .\n{self._contact(s, f'UndergraduateStudent{number}', member_of)}")
            for course in draw.distinct(len(courses), draw.between(*taken)):
                add(f"{s} {takes} {courses[course]} .\n")
            if draw.below(one_in) == 0:
                add(f"{s} {advisor} {self._advisor()} .\n")

    def _graduates(self, faculty: int) -> None:
        draw, courses, add = self.draw, self.graduate_courses, self.lines.append
        class_, member_of, takes, advisor = map(term, ("GraduateStudent", "memberOf", "takesCourse", "advisor"))
        degree, taken = term("undergraduateDegreeFrom"), self.profile.graduate_courses_taken
        low, high = self.profile.graduates_per_faculty
        for number, s in enumerate(self._terms("GraduateStudent", draw.between(faculty * low, faculty * high))):
            add(f"{s} {TYPE} {class_} .\n{self._contact(s, f'GraduateStudent{number}', member_of)}")
            for course in draw.distinct(len(courses), draw.between(*taken)):
                add(f"{s} {takes} {courses[course]} .\n")
            add(f"{self._degree(s, degree)}{s} {advisor} {self._advisor()} .\n")

    def _research_groups(self) -> None:
        class_, part_of = term("ResearchGroup"), term("subOrganizationOf")
        for s in self._terms("ResearchGroup", self.draw.between(*self.profile.research_groups)):
            self.lines.append(f"{s} {TYPE} {class_} .\n{s} {part_of} {self.iri} .\n")

    def _publications(self) -> None:
        draw, class_, author = self.draw, term("Publication"), term("publicationAuthor")
        publications: list[str] = []
        for rank in self.profile.ranks:
            for writer in self.members[rank.name]:
                for number in range(draw.between(*rank.publications)):
                    s = f"{writer[:-1]}/Publication{number}>"
                    publications.append(s)
                    self.lines.append(
                        f'{s} {TYPE} {class_} .\n{s} {NAME} "Publication{number}" .\n{s} {author} {writer} .\n'
                    )
        for student in self.members["GraduateStudent"]:
            for chosen in draw.distinct(len(publications), draw.between(*self.profile.publications_coauthored)):
                self.lines.append(f"{publications[chosen]} {author} {student} .\n")
        self.members["Publication"] = publications

    def _courses(self) -> None:
        for kind, courses in (("Course", self.courses), ("GraduateCourse", self.graduate_courses)):
            class_ = term(kind)
            for number, s in enumerate(courses):
                self.lines.append(f'{s} {TYPE} {class_} .\n{s} {NAME} "{kind}{number}" .\n')

    def _assistants(self) -> None:
        # Nobody is both, and no two assist in the same course.
        draw, students, profile = self.draw, self.members["GraduateStudent"], self.profile
        teaching, research = (
            draw.between(len(students) // most, len(students) // least)
            for least, most in (profile.one_teaching_assistant_in, profile.one_research_assistant_in)
        )
        chosen = [students[number] for number in draw.distinct(len(students), teaching + research)]
        assists, class_ = term("teachingAssistantOf"), term("TeachingAssistant")
        for s, course in zip(chosen, draw.distinct(len(self.courses), teaching), strict=False):
            self.lines.append(f"{s} {TYPE} {class_} .\n{s} {assists} {self.courses[course]} .\n")
        class_ = term("ResearchAssistant")
        for s in chosen[teaching:]:
            self.lines.append(f"{s} {TYPE} {class_} .\n")
