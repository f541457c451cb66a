"""The function library, one call a line."""

from __future__ import annotations

import pytest

from reasoner import Reasoner
from reasoner.requests import query
from reasoner.sparql.errors import UnsupportedQueryError
from tests.sparql.notation import PREFIX

XSD = "http://www.w3.org/2001/XMLSchema#"
CALLS = """
1 + 2 | 3 integer
1 + 0.5 | 1.5 decimal
1 / 2 | 0.5 decimal
1 / 0 | error
1.0e0 / 0 | INF double
2 * 1.5e0 | 3.0E0 double
-(3) | -3 integer
0.1 = 0.1e0 | true boolean
"a" < "b" | true boolean
"a" < 1 | error
"a"@en = "a"@EN | true boolean
"x"^^<http://e.org/t> = "y"^^<http://e.org/t> | error
"x"^^<http://e.org/t> = "x"^^<http://e.org/t> | true boolean
"2001-01-01T00:00:00Z"^^xsd:dateTime = "2001-01-01T01:00:00+01:00"^^xsd:dateTime | true boolean
1 IN (2, 1.0) | true boolean
1 IN (2, 1/0) | error
1 NOT IN (2, 3) | true boolean
true || 1/0 | true boolean
false || 1/0 | error
false && 1/0 | false boolean
! "" | true boolean
IF(1 < 2, "yes", 1/0) | yes
COALESCE(1/0, ?x, "last") | last
BOUND(?x) | false boolean
STR(<http://e.org/a>) | http://e.org/a
STR(1) | 1
LANG("a"@en) | en
LANG("a") |
DATATYPE(1) | <http://www.w3.org/2001/XMLSchema#integer>
DATATYPE("a"@en) | <http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>
LANGMATCHES("en-GB", "EN") | true boolean
LANGMATCHES("", "*") | false boolean
IRI("a") | <http://base.org/a>
isIRI(IRI("http://e.org/a")) | true boolean
STRDT("1", xsd:byte) | 1 byte
STRLANG("chat", "fr") | "chat"@fr
STRLEN("häß") | 3 integer
SUBSTR("foobar", 4) | bar
SUBSTR("foobar", 4, 1) | b
SUBSTR("foobar"@en, 0, 2) | "f"@en
UCASE("abc"@en) | "ABC"@en
STRSTARTS("foobar", "foo") | true boolean
STRENDS("foobar"@en, "bar") | true boolean
CONTAINS("foobar", "oba"@en) | error
STRBEFORE("abc", "b") | a
STRBEFORE("abc"@en, "z") |
STRAFTER("abc"@en, "b") | "c"@en
STRAFTER("abc", "") | abc
ENCODE_FOR_URI("Los Angeles") | Los%20Angeles
CONCAT("a"@en, "b"@en) | "ab"@en
CONCAT("a"@en, "b") | ab
CONCAT() |
REGEX("abc", "B", "i") | true boolean
REGEX("a.c", "a.c", "q") | true boolean
REGEX("abc", "(") | error
REPLACE("abcd", "b(.)", "[$1]") | a[c]d
REPLACE("abcd", "x*", "y") | error
ABS(-1.5) | 1.5 decimal
ROUND(2.5) | 3 decimal
ROUND(-2.5) | -2 decimal
CEIL(-1.5) | -1 decimal
FLOOR(1.5e0) | 1.0E0 double
YEAR("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime) | 2011 integer
SECONDS("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime) | 13.815 decimal
TIMEZONE("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime) | -PT5H dayTimeDuration
TIMEZONE("2011-01-10T14:45:13"^^xsd:dateTime) | error
TZ("2011-01-10T14:45:13Z"^^xsd:dateTime) | Z
MD5("abc") | 900150983cd24fb0d6963f7d28e17f72
SHA1("abc") | a9993e364706816aba3e25717850c26c9cd0d89d
xsd:integer("12") | 12 integer
xsd:integer(3.9) | 3 integer
xsd:integer("x") | error
xsd:boolean("1") | true boolean
xsd:boolean("0") | false boolean
xsd:boolean(" false ") | false boolean
xsd:string(1.50) | 1.5
xsd:double("1e3") | 1e3 double
xsd:decimal(2.5e0) | 2.5 decimal
xsd:dateTime("2011-01-10T14:45:13Z") | 2011-01-10T14:45:13Z dateTime
xsd:float(true) | 1 float
isNumeric("1") | false boolean
isNumeric(1) | true boolean
sameTerm(1, 1.0) | false boolean
"""


def expected(written: str) -> str | None:
    """Read what a call gives: a term, a lexical form with its datatype, or an error."""
    written = written.strip()
    if written == "error":
        return None
    if written.startswith(("<", '"')):
        return written
    lexical, _, datatype = written.rpartition(" ")
    return f'"{lexical}"^^<{XSD}{datatype}>' if lexical else f'"{datatype}"'


@pytest.mark.parametrize(
    "line", [line for line in CALLS.splitlines() if line], ids=lambda line: line.partition(" |")[0]
)
def test_a_call_gives_what_the_specification_says(line):
    call, _, result = line.rpartition("|")
    found = query(
        Reasoner(profile="none"), f"{PREFIX}SELECT ({call} AS ?r) {{}}", base="http://base.org/", terms="text"
    )

    assert found.rows() == [(expected(result),)]


def test_an_unknown_function_is_named():
    with pytest.raises(UnsupportedQueryError, match=r"unknown function <http://e\.org/f>"):
        query(Reasoner(profile="none"), PREFIX + "SELECT (:f(1) AS ?x) {}")
