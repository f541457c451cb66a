"""The fourteen queries of the Lehigh University Benchmark (Guo, Pan and Heflin, 2005), as published."""

from __future__ import annotations

_PREFIXES = """\
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
"""
_DEPARTMENT = "http://www.Department0.University0.edu"
_UNIVERSITY = "<http://www.University0.edu>"

_BODIES = {
    "Q1": f"SELECT ?X {{ ?X rdf:type ub:GraduateStudent . ?X ub:takesCourse <{_DEPARTMENT}/GraduateCourse0> }}",
    "Q2": "SELECT ?X ?Y ?Z { ?X rdf:type ub:GraduateStudent . ?Y rdf:type ub:University . ?Z rdf:type ub:Department ."
    " ?X ub:memberOf ?Z . ?Z ub:subOrganizationOf ?Y . ?X ub:undergraduateDegreeFrom ?Y }",
    "Q3": f"SELECT ?X {{ ?X rdf:type ub:Publication . ?X ub:publicationAuthor <{_DEPARTMENT}/AssistantProfessor0> }}",
    "Q4": f"SELECT ?X ?Y1 ?Y2 ?Y3 {{ ?X rdf:type ub:Professor . ?X ub:worksFor <{_DEPARTMENT}> ."
    " ?X ub:name ?Y1 . ?X ub:emailAddress ?Y2 . ?X ub:telephone ?Y3 }",
    "Q5": f"SELECT ?X {{ ?X rdf:type ub:Person . ?X ub:memberOf <{_DEPARTMENT}> }}",
    "Q6": "SELECT ?X { ?X rdf:type ub:Student }",
    "Q7": "SELECT ?X ?Y { ?X rdf:type ub:Student . ?Y rdf:type ub:Course . ?X ub:takesCourse ?Y ."
    f" <{_DEPARTMENT}/AssociateProfessor0> ub:teacherOf ?Y }}",
    "Q8": "SELECT ?X ?Y ?Z { ?X rdf:type ub:Student . ?Y rdf:type ub:Department . ?X ub:memberOf ?Y ."
    f" ?Y ub:subOrganizationOf {_UNIVERSITY} . ?X ub:emailAddress ?Z }}",
    "Q9": "SELECT ?X ?Y ?Z { ?X rdf:type ub:Student . ?Y rdf:type ub:Faculty . ?Z rdf:type ub:Course ."
    " ?X ub:advisor ?Y . ?Y ub:teacherOf ?Z . ?X ub:takesCourse ?Z }",
    "Q10": f"SELECT ?X {{ ?X rdf:type ub:Student . ?X ub:takesCourse <{_DEPARTMENT}/GraduateCourse0> }}",
    "Q11": f"SELECT ?X {{ ?X rdf:type ub:ResearchGroup . ?X ub:subOrganizationOf {_UNIVERSITY} }}",
    "Q12": "SELECT ?X ?Y { ?X rdf:type ub:Chair . ?Y rdf:type ub:Department . ?X ub:worksFor ?Y ."
    f" ?Y ub:subOrganizationOf {_UNIVERSITY} }}",
    "Q13": f"SELECT ?X {{ ?X rdf:type ub:Person . {_UNIVERSITY} ub:hasAlumnus ?X }}",
    "Q14": "SELECT ?X { ?X rdf:type ub:UndergraduateStudent }",
}

LUBM_QUERIES = {name: f"{_PREFIXES}{body}" for name, body in _BODIES.items()}
