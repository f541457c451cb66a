"""Cases of the OWL 2 RL/RDF rules about equality (W3C table 4) and about properties (table 5)."""

from __future__ import annotations

from tests.ontologies.owl2rl_case import VIOLATION, Case

EQUALITY_CASES = (
    Case("eq-ref", ":a :p :b .", ":a owl:sameAs :a . :p owl:sameAs :p . :b owl:sameAs :b .", ":c :q :d ."),
    Case("eq-sym", ":a owl:sameAs :b .", ":b owl:sameAs :a .", ":a owl:differentFrom :b ."),
    Case(
        "eq-trans",
        ":a owl:sameAs :b . :b owl:sameAs :c .",
        ":a owl:sameAs :c .",
        ":a owl:sameAs :b . :b :p :c .",
    ),
    Case("eq-rep-s", ":a owl:sameAs :b . :a :p :c .", ":b :p :c .", ":d owl:sameAs :b . :a :p :c ."),
    Case("eq-rep-p", ":p owl:sameAs :q . :a :p :c .", ":a :q :c .", ":p rdfs:seeAlso :q . :a :p :c ."),
    Case("eq-rep-o", ":c owl:sameAs :d . :a :p :c .", ":a :p :d .", ":c owl:sameAs :d . :a :p :e ."),
    Case(
        "eq-diff1",
        ":a owl:sameAs :b ; owl:differentFrom :b .",
        VIOLATION,
        ":a owl:sameAs :b ; owl:differentFrom :c .",
    ),
    Case("eq-diff1", ":a owl:differentFrom :a .", VIOLATION, ":a owl:differentFrom :b ."),
    Case(
        "eq-diff2",
        "[] a owl:AllDifferent ; owl:members (:a :b :c) . :c owl:sameAs :a .",
        VIOLATION,
        "[] a owl:AllDifferent ; owl:members (:a :b :c) . :d owl:sameAs :a .",
    ),
    Case(
        "eq-diff2",
        "[] a owl:AllDifferent ; owl:members (:a :b) . :p a owl:FunctionalProperty . :x :p :a, :b .",
        VIOLATION,
        "[] a owl:AllDisjointClasses ; owl:members (:a :b) . :p a owl:FunctionalProperty . :x :p :a, :b .",
        helpers=("prp-fp",),
    ),
    Case(
        "eq-diff3",
        "[] a owl:AllDifferent ; owl:distinctMembers (:a :b) . :a owl:sameAs :b .",
        VIOLATION,
        "[] a owl:AllDifferent ; owl:distinctMembers (:a :b) . :a :knows :b .",
    ),
)

PROPERTY_CASES = (
    Case("prp-ap", "", "rdfs:label a owl:AnnotationProperty . owl:deprecated a owl:AnnotationProperty .", None),
    Case("prp-dom", ":p rdfs:domain :C . :a :p :b .", ":a a :C .", ":p rdfs:domain :C . :a :q :b ."),
    Case("prp-rng", ":p rdfs:range :C . :a :p :b .", ":b a :C .", ":p rdfs:domain :C . :a :p :b ."),
    Case(
        "prp-fp",
        ":p a owl:FunctionalProperty . :a :p :b, :c .",
        ":b owl:sameAs :c .",
        ":p a owl:FunctionalProperty . :a :p :b . :d :p :c .",
    ),
    Case(
        "prp-ifp",
        ":p a owl:InverseFunctionalProperty . :a :p :c . :b :p :c .",
        ":a owl:sameAs :b .",
        ":p a owl:InverseFunctionalProperty . :a :p :c . :b :p :d .",
    ),
    Case(
        "prp-irp",
        ":p a owl:IrreflexiveProperty . :a :p :b . :a owl:sameAs :b .",
        VIOLATION,
        ":p a owl:IrreflexiveProperty . :a :p :b . :b :p :a .",
    ),
    Case(
        "prp-symp", ":p a owl:SymmetricProperty . :a :p :b .", ":b :p :a .", ":p a owl:TransitiveProperty . :a :p :b ."
    ),
    Case(
        "prp-asyp",
        ":p a owl:AsymmetricProperty . :a :p :b . :b :p :a .",
        VIOLATION,
        ":p a owl:AsymmetricProperty . :a :p :b . :b :p :c .",
    ),
    Case(
        "prp-trp",
        ":p a owl:TransitiveProperty . :a :p :b . :b :p :c .",
        ":a :p :c .",
        ":p a owl:TransitiveProperty . :a :p :b . :d :p :c .",
    ),
    Case(
        "prp-trp",
        ":p a :Reachability . :Reachability rdfs:subClassOf owl:TransitiveProperty . :a :p :b . :b :p :c .",
        ":a :p :c .",
        ":p a :Reachability . owl:TransitiveProperty rdfs:subClassOf :Reachability . :a :p :b . :b :p :c .",
        helpers=("cax-sco",),
    ),
    Case("prp-spo1", ":p rdfs:subPropertyOf :q . :a :p :b .", ":a :q :b .", ":q rdfs:subPropertyOf :p . :a :p :b ."),
    Case(
        "prp-spo2",
        ":p owl:propertyChainAxiom (:q :r :s) . :a :q :b . :b :r :c . :c :s :d .",
        ":a :p :d .",
        ":p owl:propertyChainAxiom (:q :s :r) . :a :q :b . :b :r :c . :c :s :d .",
    ),
    Case(
        "prp-spo2",
        ":p owl:propertyChainAxiom (:q) . :a :q :b .",
        ":a :p :b .",
        ":p owl:propertyChainAxiom (:q) . :a :r :b .",
    ),
    Case(
        "prp-eqp1",
        ":p owl:equivalentProperty :q . :a :p :b .",
        ":a :q :b .",
        ":p owl:equivalentProperty :r . :a :p :b .",
    ),
    Case(
        "prp-eqp2",
        ":p owl:equivalentProperty :q . :a :q :b .",
        ":a :p :b .",
        ":p owl:propertyDisjointWith :q . :a :q :b .",
    ),
    Case(
        "prp-pdw",
        ":p owl:propertyDisjointWith :q . :a :p :b ; :q :b .",
        VIOLATION,
        ":p owl:propertyDisjointWith :q . :a :p :b ; :q :c .",
    ),
    Case(
        "prp-adp",
        "[] a owl:AllDisjointProperties ; owl:members (:p :q :r) . :a :p :b ; :r :b .",
        VIOLATION,
        "[] a owl:AllDisjointProperties ; owl:members (:p :q) . :a :p :b ; :r :b .",
    ),
    Case("prp-inv1", ":p owl:inverseOf :q . :a :p :b .", ":b :q :a .", ":p owl:inverseOf :r . :a :p :b ."),
    Case("prp-inv2", ":p owl:inverseOf :q . :a :q :b .", ":b :p :a .", ":p owl:inverseOf :q . :b :q :a ."),
    Case(
        "prp-key",
        ":C owl:hasKey (:p :q) . :a a :C ; :p 1 ; :q :k . :b a :C ; :p 1, 2 ; :q :k .",
        ":a owl:sameAs :b .",
        ":C owl:hasKey (:p :q) . :a a :C ; :p 1 ; :q :k . :b a :C ; :p 2 ; :q :k .",
    ),
    Case(
        "prp-key",
        ':C owl:hasKey (:p) . :a a :C ; :p "1"^^xsd:int . :b a :C ; :p "01"^^xsd:decimal .',
        ":a owl:sameAs :b .",
        ':C owl:hasKey (:p) . :a a :C ; :p "1"^^xsd:int . :b :p "1"^^xsd:int .',
    ),
    Case(
        "prp-npa1",
        "[] owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetIndividual :b . :a :p :b .",
        VIOLATION,
        "[] owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetIndividual :b . :b :p :a .",
    ),
    Case(
        "prp-npa2",
        '[] owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetValue 1 . :a :p "+1"^^xsd:integer .',
        VIOLATION,
        "[] owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetValue 1 . :a :p 2 .",
    ),
)
