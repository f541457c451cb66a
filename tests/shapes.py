"""Shapes of rules that random programs are made of, in the notation of the tests with fields to fill.

Vocabulary is layered, so that most programs are stratified: ``p q r s A B C`` may depend on each other in any way and
derive equalities; ``u v D`` may also depend on the negation of the first layer, and ``t E`` on that of the second.
``same`` and ``type``, the words that the engine itself reads, are terms like any other where a shape puts them.
"""

# The first letter of a field of a shape names the pool that it is filled from.
POOLS = {
    "p": ("p", "p", "q", "q", "r", "s"),
    "c": ("A", "B", "C"),
    "k": ("a", "b", "c", "d"),
    "u": ("u", "v"),
    "w": ("same", "type"),
    "i": ("1", "2", "3", "4"),
    "o": ("<", "<=", ">", ">=", "="),
}
RECURSIVE = (
    "?x {p1} ?z :- ?x {p1} ?y, ?y {p1} ?z",
    "?y {p1} ?x :- ?x {p1} ?y",
    "?x {p1} ?z :- ?x {p1} ?y, ?y {p2} ?z",
    "?x {p1} ?z :- ?x {p2} ?y, ?y {p1} ?z",
    "?x {p1} ?z :- ?y {p1} ?x, ?y {p1} ?z",
    "?x {p1} ?w :- ?x {p2} ?y, ?y {p1} ?z, ?z {p3} ?w",
    "?y type {c1} :- ?x {p1} ?y, ?x type {c1}",
    "?x type ?z :- ?x type ?y, ?y {p1} ?z",
)
HORN = (
    "?x {p1} ?y :- ?x {p2} ?y",
    "?y {p1} ?x :- ?x {p2} ?y",
    "?x {p1} ?z :- ?x {p2} ?y, ?y {p3} ?z",
    "?x type {c1} :- ?x {p1} ?y",
    "?y type {c1} :- ?x {p1} ?y",
    "?x type {c1} :- ?x type {c2}",
    "?x type {c1} :- ?x type {c2}, ?x type {c3}",
    "?x type {c1} :- ?x {p1} ?y, ?y type {c2}",
    "?x type {c1} :- ?x {p1} {k1}",
    "?x {p1} {k1} :- ?x type {c1}",
    "{k1} {p1} ?x :- ?x type {c1}",
    "?x {p1} {k1} :- ?x {p2} {k2}",
    "?x type {c1} :- {k1} {p1} ?x",
    "?x type {c1} :- ?x {p1} ?x",
    "?x {p1} ?x :- ?x type {c1}",
    "?x {p1} ?y :- ?x type {c1}, ?y type {c2}",
    "?x {p1} ?y :- ?x {p2} ?y, {k1} type {c1}",
    "{k1} {p1} {k2} :- {k2} {p2} {k1}",
    "?x type ?y :- ?x {p1} ?y",
    "?x {p1} ?y :- ?x type ?y",
)
GROUND = ("{k1} {p1} {k2} :-", "{k1} type {c1} :-")
EQUALITY_HEADS = (
    "?y same ?z :- ?x {p1} ?y, ?x {p1} ?z",
    "?x same ?y :- ?x {p1} ?z, ?y {p1} ?z",
    "?x same ?y :- ?x type {c1}, ?x {p1} ?z, ?y {p1} ?z",
    "?x same ?y :- ?x type {c1}, ?y type {c1}, ?x {p1} ?z, ?y {p1} ?z",
    "?x same ?y :- ?x type {c1}, ?y type {c1}",
    "?x same ?y :- ?x {p1} ?y, ?y {p1} ?x",
    "?x same {k1} :- ?x type {c1}",
    "?x same {k1} :- ?x {p1} {k2}",
    "{k1} same ?x :- ?x {p1} {k2}",
    "{k1} same {k2} :- {k1} {p1} ?x",
    "{k1} same {k2} :- ?x type {c1}",
    "{k1} same {k2} :-",
    "{p1} same {p2} :- ?x {p1} ?x",
    "{p1} same {p2} :- ?x type {c1}",
    "{c1} same {c2} :- ?x {p1} {k1}",
    "?x same ?y :- ?x {p1} ?y",
)
EQUALITY_BODIES = (
    "?x {p1} ?y :- ?x same ?y, ?x type {c1}",
    "?x {p1} ?z :- ?x same ?y, ?y {p2} ?z",
    "?x {p1} ?y :- ?x same ?y",
    "?x type {c1} :- ?x same {k1}",
    "{k1} type {c1} :- {k1} same {k2}",
    "?x {p1} ?y :- ?x type {c1}, ?y type {c2}, ?x same ?y",
)
VARIABLE_PREDICATES = (
    "?x ?q ?y :- ?p {p1} ?q, ?x ?p ?y",
    "?y ?q ?x :- ?p {p1} ?q, ?x ?p ?y",
    "?y ?p ?x :- ?p type {c1}, ?x ?p ?y",
    "?x ?p ?z :- ?p type {c1}, ?x ?p ?y, ?y ?p ?z",
    "?x ?p {k1} :- ?x type {c1}, ?x ?p {k2}",
    "?x type ?c :- ?p {p1} ?c, ?x ?p ?y",
    "?x {p1} ?y :- ?x ?p ?y, ?p type {c1}",
    "?x {p1} ?p :- ?x ?p ?y, ?x type {c1}",
    "?x type {c1} :- ?x ?p ?x",
    "?x type {c1} :- {k1} ?p ?x",
    "?p type {c1} :- ?x ?p ?y",
)
VARIABLE_EQUALITIES = (
    "?y same ?z :- ?p type {c1}, ?x ?p ?y, ?x ?p ?z",
    "?x same ?y :- ?p type {c1}, ?x ?p ?z, ?y ?p ?z",
    "?p same ?q :- ?p {p1} ?q, ?q {p1} ?p",
)
# Bodies with a variable predicate below heads of the second layer, which feed no equality: read as an equality, or of a
# lower layer, such an atom is none of the stratum's own.
ABOVE_EQUALITY = (
    "?x {u1} ?y :- ?x ?p ?y, ?x type {c1}",
    "?x {u1} ?y :- ?x ?p ?y, ?y type D",
    "?x {u1} ?z :- ?x ?p ?y, ?y ?q ?z, ?x type {c1}",
    "?x {u1} ?y :- ?x ?p ?y, ?y ?p ?x",
    "?x {u1} ?y :- ?x ?p ?z, ?z {u2} ?y",
    "?x {u1} ?y :- ?x ?p ?y, ?p same {p1}",
    "?p {u1} ?x :- ?x ?p ?y, ?x type {c1}",
    "?p type D :- ?x ?p ?y, ?x type {c1}",
    "?x type D :- ?x ?p ?y, ?y same {k1}",
    "?x type D :- ?x ?p ?x, ?x {p1} ?y",
    "?x t ?y :- ?x ?p ?y, ?p type D",
)
ABOVE_EQUALITY_NEGATED = (
    "?x t ?y :- ?x ?p ?y, not ?x {u1} ?y",
    "?x t ?y :- ?x ?p ?y, not ?x type ?y",
    "?x t ?p :- ?x ?p ?y, ?x type {c1}, not ?x same ?y",
)
# The words of the engine as predicate, subject and object, in bodies and heads.
VOCABULARY = (
    "?x {u1} ?y :- ?x {w1} ?y, ?x {p1} ?z",
    "?x {u1} ?y :- ?x ?p ?y, ?p {p1} {w1}",
    "?x {u1} {w1} :- ?x type {c1}",
    "{w1} {u1} ?x :- ?x {p1} ?y",
    "{w1} type {c1} :- ?x type {c2}",
    "{w1} {p1} {w2} :- ?x type {c1}, ?x {p1} ?y",
    "?x type D :- ?x ?p {w1}",
    "?x type D :- {w1} ?p ?x",
    "?x type {w1} :- ?x {p1} ?y",
    "?x type D :- ?x type {w1}",
    "?x type {c1} :- ?x {p1} {w1}",
    "?x {u1} ?y :- ?x ?p ?y, ?p {u2} {w1}",
    "?x {w1} ?y :- ?x {p1} ?y, ?x type {c1}",
    "?p {u1} {w1} :- {k1} ?p ?x",
)
VOCABULARY_EQUALITIES = (
    "{p1} same type :- ?x type {c1}",
    "{c1} same {w1} :- ?x {p1} ?x",
    "?x same {k1} :- ?x {p1} {w1}",
)
# Only constant objects tell the head apart from what is negated: where these become equal there are no strata any more.
NEGATED_OBJECTS = (
    "?x {p1} {k1} :- ?x {p2} ?y, not ?x {p1} {k2}",
    "?x {u1} {k1} :- ?x {p1} ?y, not ?x {u1} {k2}, not ?x {u2} {k3}",
    "?x {u1} {k1} :- ?x {u2} {k2}, not ?x {u1} {k3}",
)
NEGATION = (
    "?x type D :- ?x type {c1}, not ?x type {c2}",
    "?x {u1} ?y :- ?x {p1} ?y, not ?x type {c1}",
    "?x {u1} ?y :- ?x {p1} ?y, not ?y {p2} ?x",
    "?x {u1} ?y :- ?x {p1} ?y, not ?x {p2} {k1}",
    "?x {u1} ?z :- ?x {p1} ?y, ?y {p2} ?z, not ?x {p1} ?z",
    "?x {u1} ?y :- ?x type {c1}, ?y type {c2}, not ?x {p1} ?y",
    "?x {u1} {k1} :- ?x type {c1}, not {k1} {p1} ?x",
    "?x type D :- ?x {p1} ?y, not ?x type {c1}, not ?y type {c2}",
    "{k1} {u1} {k2} :- ?x type {c1}, not {k1} {p1} {k2}",
    "{k1} {u1} {k2} :- not {k2} {p1} {k1}",
    "?x t ?y :- ?x {p1} ?y, not ?x {u1} ?y",
    "?x type E :- ?x type {c1}, not ?x type D",
    "?x t ?y :- ?x {u1} ?y, not ?y type D",
)
NEGATED_EQUALITY = (
    "?x {u1} ?y :- ?x {p1} ?y, not ?x same ?y",
    "?x type D :- ?x {p1} ?y, not ?y same {k1}",
    "?x {u1} ?y :- ?x type {c1}, ?y type {c1}, not ?x same ?y",
)
ABOVE_NEGATION = (
    "?x {u1} ?z :- ?x {u1} ?y, ?y {u1} ?z",
    "?x {u1} ?z :- ?x {u2} ?y, ?y {p1} ?z",
    "?y {u1} ?x :- ?x {u2} ?y",
    "?x type D :- ?x {u1} ?y",
    "?x {u1} {k1} :- ?x type D",
    "?y type D :- ?x {u1} ?y, ?x type D",
    "?x t ?z :- ?x t ?y, ?y t ?z",
    "?x type E :- ?x t {k1}",
)
BUILTINS = (
    "?x type {c1} :- ?x n ?v, ?v {o1} {i1}",
    "?x {p1} ?y :- ?x n ?v, ?y n ?w, ?v {o1} ?w",
    "?x {p1} ?y :- ?x {p2} ?y, ?x n ?v, ?v {o1} {i1}",
    "?x n ?v :- ?x {p1} ?y, ?y n ?v",
    "?x type {c1} :- ?x n {i1}",
    "?x n {i1} :- ?x type {c1}",
    "?x {p1} ?y :- ?x {p2} ?y, ?x = ?y",
    "?x {u1} ?y :- ?x {p1} ?y, ?x != ?y",
    "?x type D :- ?x {p1} ?y, ?y != {k1}",
    "?x {u1} ?y :- ?x n ?v, ?y n ?w, ?v != ?w",
    "?x type D :- ?x n ?v, ?v != {i1}",
)
LITERAL_EQUALITIES = (
    "?y same ?z :- ?x n ?y, ?x n ?z",
    "?x same ?y :- ?x n ?v, ?y n ?v",
    "?x same {k1} :- ?x n ?v, ?v > {i1}",
)
CONSTRAINTS = (
    "false :- ?x type {c1}, ?x type {c2}",
    "false :- ?x {p1} ?x",
    "false :- ?x {p1} ?y, ?x {p2} ?y",
)
EQUALITY_CONSTRAINTS = ("false :- ?x {p1} ?y, ?x same ?y", "false :- {k1} same {k2}")
NEGATED_CONSTRAINTS = ("false :- ?x type {c1}, not ?x type {c2}", "false :- ?x {u1} ?y, not ?x {p1} ?y")
