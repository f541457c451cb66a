"""The univ-bench ontology of LUBM as tables, and the triples that they stand for.

Guo, Pan, Heflin: "LUBM: a benchmark for OWL knowledge base systems" (2005). Axiom for axiom the published ontology;
only its labels and comments are left out, which no reasoner reads.
"""

from __future__ import annotations

from .statements import (
    CLASS,
    DATATYPE_PROPERTY,
    DOMAIN,
    INTERSECTION_OF,
    INVERSE_OF,
    OBJECT_PROPERTY,
    ONTOLOGY,
    RANGE,
    SUB_CLASS_OF,
    SUB_PROPERTY_OF,
    TRANSITIVE_PROPERTY,
    TYPE,
    list_of,
    some_values_from,
    statement,
)

LUBM = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"

SUBCLASSES: dict[str, tuple[str, ...]] = {
    "Employee": ("AdministrativeStaff", "Faculty"),
    "AdministrativeStaff": ("ClericalStaff", "SystemsStaff"),
    "Faculty": ("Lecturer", "PostDoc", "Professor"),
    "Professor": ("AssistantProfessor", "AssociateProfessor", "Chair", "Dean", "FullProfessor", "VisitingProfessor"),
    "Person": ("GraduateStudent", "ResearchAssistant"),
    "Student": ("UndergraduateStudent",),
    "Organization": ("College", "Department", "Institute", "Program", "ResearchGroup", "University"),
    "Publication": ("Article", "Book", "Manual", "Software", "Specification", "UnofficialPublication"),
    "Article": ("ConferencePaper", "JournalArticle", "TechnicalReport"),
    "Work": ("Course", "Research"),
    "Course": ("GraduateCourse",),
}
OTHER_CLASSES = ("Director", "Schedule", "TeachingAssistant")

DEFINITIONS = (
    ("Chair", "Person", "headOf", "Department"),
    ("Dean", None, "headOf", "College"),
    ("Director", "Person", "headOf", "Program"),
    ("Employee", "Person", "worksFor", "Organization"),
    ("Student", "Person", "takesCourse", "Course"),
    ("TeachingAssistant", "Person", "teachingAssistantOf", "Course"),
)
"""Class, the class that it narrows, and the property with the class of its value that its members have."""

NECESSARY = (
    ("GraduateStudent", "takesCourse", "GraduateCourse"),
    ("ResearchAssistant", "worksFor", "ResearchGroup"),
)
"""Class, property and the class of the value that every member has; existential, so beyond any rule language."""

OBJECT_PROPERTIES: dict[str, tuple[str | None, str | None]] = {
    "advisor": ("Person", "Professor"),
    "affiliateOf": ("Organization", "Person"),
    "affiliatedOrganizationOf": ("Organization", "Organization"),
    "degreeFrom": ("Person", "University"),
    "doctoralDegreeFrom": ("Person", "University"),
    "hasAlumnus": ("University", "Person"),
    "headOf": (None, None),
    "listedCourse": ("Schedule", "Course"),
    "mastersDegreeFrom": ("Person", "University"),
    "member": ("Organization", "Person"),
    "memberOf": (None, None),
    "orgPublication": ("Organization", "Publication"),
    "publicationAuthor": ("Publication", "Person"),
    "publicationDate": ("Publication", None),
    "publicationResearch": ("Publication", "Research"),
    "researchProject": ("ResearchGroup", "Research"),
    "softwareDocumentation": ("Software", "Publication"),
    "softwareVersion": ("Software", None),
    "takesCourse": (None, None),
    "teacherOf": ("Faculty", "Course"),
    "teachingAssistantOf": ("TeachingAssistant", "Course"),
    "tenured": ("Professor", None),
    "undergraduateDegreeFrom": ("Person", "University"),
    "worksFor": (None, None),
}
TRANSITIVE_PROPERTIES = {"subOrganizationOf": ("Organization", "Organization")}
DATA_PROPERTIES = {
    "age": "Person",
    "emailAddress": "Person",
    "name": None,
    "officeNumber": None,
    "researchInterest": None,
    "telephone": "Person",
    "title": "Person",
}
SUBPROPERTIES = (
    ("doctoralDegreeFrom", "degreeFrom"),
    ("headOf", "worksFor"),
    ("mastersDegreeFrom", "degreeFrom"),
    ("undergraduateDegreeFrom", "degreeFrom"),
    ("worksFor", "memberOf"),
)
INVERSES = (("degreeFrom", "hasAlumnus"), ("hasAlumnus", "degreeFrom"), ("memberOf", "member"))


def term(name: str) -> str:
    """Return the term for a class or property of the ontology.

    >>> term("Student")
    '<http://swat.cse.lehigh.edu/onto/univ-bench.owl#Student>'
    """
    return f"<{LUBM}{name}>"


def lubm_ontology() -> str:
    """Return the whole ontology as N-Triples."""
    return _declarations() + "".join(map(_definition, DEFINITIONS)) + "".join(map(_necessary, NECESSARY))


def lubm_ontology_in_rl() -> str:
    """Return what OWL 2 RL can say of the ontology.

    A defined class keeps the direction that rules can follow (who takes a course is a student), and the plain part
    of the other one (a student is a person). That a student takes *some* course is left out.
    """
    return _declarations() + "".join(map(_sufficient, DEFINITIONS))


def _declarations() -> str:
    lines = [statement(f"<{LUBM[:-1]}>", TYPE, ONTOLOGY)]
    subclasses = [name for names in SUBCLASSES.values() for name in names]
    for name in dict.fromkeys((*SUBCLASSES, *subclasses, *OTHER_CLASSES)):
        lines.append(statement(term(name), TYPE, CLASS))
    for parent, names in SUBCLASSES.items():
        lines.extend(statement(term(name), SUB_CLASS_OF, term(parent)) for name in names)
    for kind, properties in (
        (OBJECT_PROPERTY, OBJECT_PROPERTIES),
        (TRANSITIVE_PROPERTY, TRANSITIVE_PROPERTIES),
        (DATATYPE_PROPERTY, {name: (domain, None) for name, domain in DATA_PROPERTIES.items()}),
    ):
        for name, (domain, range_) in properties.items():
            lines.append(statement(term(name), TYPE, kind))
            if domain:
                lines.append(statement(term(name), DOMAIN, term(domain)))
            if range_:
                lines.append(statement(term(name), RANGE, term(range_)))
    lines.extend(statement(term(name), SUB_PROPERTY_OF, term(parent)) for name, parent in SUBPROPERTIES)
    lines.extend(statement(term(name), INVERSE_OF, term(inverse)) for name, inverse in INVERSES)
    return "".join(lines)


def _definition(row: tuple[str, str | None, str, str]) -> str:
    name, narrowed, property, filler = row
    members = ([term(narrowed)] if narrowed else []) + [f"_:has{name}"]
    return (
        statement(term(name), INTERSECTION_OF, f"_:all{name}")
        + list_of(f"_:all{name}", members)
        + some_values_from(f"_:has{name}", term(property), term(filler))
    )


def _sufficient(row: tuple[str, str | None, str, str]) -> str:
    name, narrowed, property, filler = row
    if narrowed is None:
        return statement(f"_:has{name}", SUB_CLASS_OF, term(name)) + some_values_from(
            f"_:has{name}", term(property), term(filler)
        )
    return (
        statement(f"_:both{name}", TYPE, CLASS)
        + statement(f"_:both{name}", SUB_CLASS_OF, term(name))
        + statement(f"_:both{name}", INTERSECTION_OF, f"_:all{name}")
        + list_of(f"_:all{name}", [term(narrowed), f"_:has{name}"])
        + some_values_from(f"_:has{name}", term(property), term(filler))
        + statement(term(name), SUB_CLASS_OF, term(narrowed))
    )


def _necessary(row: tuple[str, str, str]) -> str:
    name, property, filler = row
    return statement(term(name), SUB_CLASS_OF, f"_:some{name}") + some_values_from(
        f"_:some{name}", term(property), term(filler)
    )
