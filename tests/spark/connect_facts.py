"""A few facts, and what is done with them in a session of Spark Connect and in memory."""

RULES = """PREFIX e: <http://e.org/>
?x e:within ?y :- ?x e:part ?y .
?x e:within ?z :- ?x e:part ?y, ?y e:part ?z .
?x owl:sameAs ?y :- ?z e:called ?x, ?z e:called ?y .
false :- ?x e:part e:c, ?y e:part e:c, ?x != ?y .
"""
FACTS = "".join(
    f"<http://e.org/{s}> <http://e.org/{p}> <http://e.org/{o}> .\n"
    for s, p, o in [
        ("a", "part", "b"),
        ("b", "part", "c"),
        ("c", "part", "d"),
        ("m", "called", "a"),
        ("m", "called", "n"),
    ]
)
QUERY = "SELECT ?x { ?x <http://e.org/within> <http://e.org/d> }"
UPDATE = "PREFIX e: <http://e.org/> DELETE { ?x e:part e:d } INSERT { e:d e:part ?x } WHERE { ?x e:part e:d }"
