"""The ontology of ``university_identities``: univ-bench, and properties that say who is who.

All of it is OWL 2 RL but for one axiom: ``personalEmail`` is a data property that is inverse-functional. OWL 2 DL has
no such thing, yet it is how people publish mailboxes, and the rules of OWL 2 RL/RDF (prp-ifp) read it all the same.
"""

from __future__ import annotations

from .lubm_ontology import lubm_ontology_in_rl
from .lubm_ontology import term as lubm
from .statements import (
    CLASS,
    DATATYPE_PROPERTY,
    DOMAIN,
    FUNCTIONAL_PROPERTY,
    HAS_KEY,
    INVERSE_FUNCTIONAL_PROPERTY,
    INVERSE_OF,
    OBJECT_PROPERTY,
    RANGE,
    SUB_PROPERTY_OF,
    SYMMETRIC_PROPERTY,
    TRANSITIVE_PROPERTY,
    TYPE,
    list_of,
    statement,
)

IDENTITIES = "http://example.org/university-identities#"
HAS_IDENTIFIER = f"<{IDENTITIES}hasIdentifier>"
PERSONAL_EMAIL = f"<{IDENTITIES}personalEmail>"
SOCIAL_SECURITY_NUMBER = f"<{IDENTITIES}socialSecurityNumber>"
MAIN_ADVISOR = f"<{IDENTITIES}mainAdvisor>"
HAS_HEAD = f"<{IDENTITIES}hasHead>"
IS_MARRIED_TO = f"<{IDENTITIES}isMarriedTo>"
IS_FRIEND_OF = f"<{IDENTITIES}isFriendOf>"
SAME_HOME_TOWN = f"<{IDENTITIES}hasSameHomeTownWith>"
IDENTIFIER = f"<{IDENTITIES}Identifier>"
PERSON = lubm("Person")


def university_identities_ontology() -> str:
    """Return the ontology as N-Triples.

    ===================== ========================================== =================================
    property              axioms                                     makes equal
    ===================== ========================================== =================================
    hasIdentifier         inverse-functional                         who shares an identifier
    personalEmail         inverse-functional, a data property        who shares a mailbox
    socialSecurityNumber  key of Person                              persons who share a number
    mainAdvisor           functional, a kind of ub:advisor           the main advisors of a student
    hasHead               functional, inverse of ub:headOf           the heads of a department
    isMarriedTo           functional, symmetric                      the spouses of a person
    isFriendOf            symmetric                                  nobody
    hasSameHomeTownWith   symmetric, transitive                      nobody, but people form cliques
    ub:subOrganizationOf  transitive                                 nobody
    ===================== ========================================== =================================
    """
    return lubm_ontology_in_rl() + "".join(
        (
            statement(IDENTIFIER, TYPE, CLASS),
            _object_property(HAS_IDENTIFIER, INVERSE_FUNCTIONAL_PROPERTY, range_=IDENTIFIER),
            statement(PERSONAL_EMAIL, TYPE, DATATYPE_PROPERTY),
            statement(PERSONAL_EMAIL, TYPE, INVERSE_FUNCTIONAL_PROPERTY),
            statement(PERSONAL_EMAIL, DOMAIN, PERSON),
            statement(SOCIAL_SECURITY_NUMBER, TYPE, DATATYPE_PROPERTY),
            statement(SOCIAL_SECURITY_NUMBER, DOMAIN, PERSON),
            statement(PERSON, HAS_KEY, "_:key"),
            list_of("_:key", [SOCIAL_SECURITY_NUMBER]),
            _object_property(MAIN_ADVISOR, FUNCTIONAL_PROPERTY, range_=lubm("Professor")),
            statement(MAIN_ADVISOR, SUB_PROPERTY_OF, lubm("advisor")),
            statement(HAS_HEAD, TYPE, OBJECT_PROPERTY),
            statement(HAS_HEAD, TYPE, FUNCTIONAL_PROPERTY),
            statement(HAS_HEAD, INVERSE_OF, lubm("headOf")),
            _object_property(IS_MARRIED_TO, FUNCTIONAL_PROPERTY, SYMMETRIC_PROPERTY, range_=PERSON),
            _object_property(IS_FRIEND_OF, SYMMETRIC_PROPERTY, range_=PERSON),
            _object_property(SAME_HOME_TOWN, SYMMETRIC_PROPERTY, TRANSITIVE_PROPERTY, range_=PERSON),
        )
    )


def _object_property(property: str, *kinds: str, range_: str) -> str:
    return (
        "".join(statement(property, TYPE, kind) for kind in (OBJECT_PROPERTY, *kinds))
        + statement(property, DOMAIN, PERSON)
        + statement(property, RANGE, range_)
    )
