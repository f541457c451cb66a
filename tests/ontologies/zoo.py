"""One ontology in three syntaxes, for the tests that compare readers."""

FUNCTIONAL = """
Prefix(:=<http://e/#>)
Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)
# Everything that the readers must agree on.
Ontology(<http://e/zoo> <http://e/zoo/1>
  Import(<http://e/other>)
  Annotation(rdfs:label "zoo"@en)
  Declaration(Class(:Animal))
  Declaration(ObjectProperty(:eats))
  Declaration(ObjectProperty(:eatenBy))
  Declaration(DataProperty(:age))
  Declaration(Datatype(:Adult))
  Declaration(NamedIndividual(:leo))
  SubClassOf(Annotation(rdfs:comment "why") :Lion
    ObjectIntersectionOf(:Animal ObjectSomeValuesFrom(ObjectInverseOf(:eats) :Animal)))
  EquivalentClasses(:Shy ObjectComplementOf(:Bold))
  SubClassOf(:Lion ObjectMaxCardinality(1 :eats :Zebra))
  SubClassOf(:Lion DataExactCardinality(1 :age))
  SubClassOf(:Lion DataAllValuesFrom(:age DatatypeRestriction(xsd:integer xsd:minInclusive "0"^^xsd:integer)))
  SubClassOf(ObjectHasSelf(:eats) :Odd)
  SubClassOf(ObjectOneOf(:leo :zed) ObjectHasValue(:eats :zed))
  DisjointClasses(:Lion :Zebra :Plant)
  DisjointUnion(:Animal :Lion :Zebra)
  DatatypeDefinition(:Adult DatatypeRestriction(xsd:integer xsd:minInclusive "4"^^xsd:integer))
  SubObjectPropertyOf(ObjectPropertyChain(:eats :eats) :eats)
  InverseObjectProperties(:eats :eatenBy)
  AsymmetricObjectProperty(:eats)
  DataPropertyRange(:age xsd:integer)
  FunctionalDataProperty(:age)
  HasKey(:Animal (:eats) (:age))
  ClassAssertion(:Lion :leo)
  ObjectPropertyAssertion(:eats :leo _:prey)
  DataPropertyAssertion(:age :leo "4"^^xsd:integer)
  NegativeObjectPropertyAssertion(:eats :zed :leo)
  NegativeDataPropertyAssertion(:age :zed "4"^^xsd:integer)
  DifferentIndividuals(:leo :zed :plato)
  SameIndividual(:leo :king)
  AnnotationAssertion(rdfs:label :leo "the \\"king\\"")
  DLSafeRule(
    Body(ClassAtom(:Lion Variable(<urn:swrl:var#x>)) DataPropertyAtom(:age Variable(<urn:swrl:var#x>)
      Variable(<urn:swrl:var#n>)) BuiltInAtom(swrlb:lessThan Variable(<urn:swrl:var#n>) "3"^^xsd:integer))
    Head(ClassAtom(:Cub Variable(<urn:swrl:var#x>))))
)
"""

TURTLE = """
@prefix : <http://e/#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix swrlb: <http://www.w3.org/2003/11/swrlb#> .
@prefix var: <urn:swrl:var#> .

<http://e/zoo> a owl:Ontology ; owl:versionIRI <http://e/zoo/1> ; owl:imports <http://e/other> ; rdfs:label "zoo"@en .
:Animal a owl:Class .
:eats a owl:ObjectProperty .
:eatenBy a owl:ObjectProperty .
:age a owl:DatatypeProperty .
:Adult a rdfs:Datatype .
:leo a owl:NamedIndividual .
:Lion rdfs:subClassOf _:both .
_:both a owl:Class ; owl:intersectionOf
  ( :Animal [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :eats ] ; owl:someValuesFrom :Animal ] ) .
[] a owl:Axiom ; owl:annotatedSource :Lion ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget _:both ;
  rdfs:comment "why" .
:Shy owl:equivalentClass [ a owl:Class ; owl:complementOf :Bold ] .
:Lion rdfs:subClassOf
  [ a owl:Restriction ; owl:onProperty :eats ; owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger ;
    owl:onClass :Zebra ] ,
  [ a owl:Restriction ; owl:onProperty :age ; owl:cardinality "1"^^xsd:nonNegativeInteger ] ,
  [ a owl:Restriction ; owl:onProperty :age ; owl:allValuesFrom
    [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 0 ] ) ] ] .
[ a owl:Restriction ; owl:onProperty :eats ; owl:hasSelf true ] rdfs:subClassOf :Odd .
[ a owl:Class ; owl:oneOf ( :leo :zed ) ] rdfs:subClassOf
  [ a owl:Restriction ; owl:onProperty :eats ; owl:hasValue :zed ] .
[] a owl:AllDisjointClasses ; owl:members ( :Lion :Zebra :Plant ) .
:Animal owl:disjointUnionOf ( :Lion :Zebra ) .
:Adult owl:equivalentClass
  [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 4 ] ) ] .
:eats owl:propertyChainAxiom ( :eats :eats ) ; owl:inverseOf :eatenBy ; a owl:AsymmetricProperty .
:age rdfs:range xsd:integer ; a owl:FunctionalProperty .
:Animal owl:hasKey ( :eats :age ) .
:leo a :Lion ; :eats _:prey ; :age 4 ; owl:sameAs :king ; rdfs:label "the \\"king\\"" .
[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :zed ; owl:assertionProperty :eats ;
  owl:targetIndividual :leo .
[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :zed ; owl:assertionProperty :age ; owl:targetValue 4 .
[] a owl:AllDifferent ; owl:distinctMembers ( :leo :zed :plato ) .
var:x a swrl:Variable . var:n a swrl:Variable .
[] a swrl:Imp ;
  swrl:body ( [ a swrl:ClassAtom ; swrl:classPredicate :Lion ; swrl:argument1 var:x ]
    [ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :age ; swrl:argument1 var:x ; swrl:argument2 var:n ]
    [ a swrl:BuiltinAtom ; swrl:builtin swrlb:lessThan ; swrl:arguments ( var:n 3 ) ] ) ;
  swrl:head ( [ a swrl:ClassAtom ; swrl:classPredicate :Cub ; swrl:argument1 var:x ] ) .
"""

OWLXML = """<?xml version="1.0"?>
<!DOCTYPE Ontology [ <!ENTITY xsd "http://www.w3.org/2001/XMLSchema#"> ]>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://e/" ontologyIRI="http://e/zoo"
    versionIRI="http://e/zoo/1">
  <Prefix name="" IRI="http://e/#"/>
  <Prefix name="swrlb" IRI="http://www.w3.org/2003/11/swrlb#"/>
  <Import>http://e/other</Import>
  <Annotation><AnnotationProperty abbreviatedIRI="rdfs:label"/><Literal xml:lang="en">zoo</Literal></Annotation>
  <Declaration><Class IRI="#Animal"/></Declaration>
  <Declaration><ObjectProperty IRI="#eats"/></Declaration>
  <Declaration><ObjectProperty IRI="#eatenBy"/></Declaration>
  <Declaration><DataProperty IRI="#age"/></Declaration>
  <Declaration><Datatype IRI="#Adult"/></Declaration>
  <Declaration><NamedIndividual IRI="#leo"/></Declaration>
  <SubClassOf>
    <Annotation><AnnotationProperty abbreviatedIRI="rdfs:comment"/><Literal>why</Literal></Annotation>
    <Class IRI="#Lion"/>
    <ObjectIntersectionOf><Class IRI="#Animal"/><ObjectSomeValuesFrom>
      <ObjectInverseOf><ObjectProperty IRI="#eats"/></ObjectInverseOf><Class IRI="#Animal"/>
    </ObjectSomeValuesFrom></ObjectIntersectionOf>
  </SubClassOf>
  <EquivalentClasses><Class abbreviatedIRI=":Shy"/>
    <ObjectComplementOf><Class IRI="#Bold"/></ObjectComplementOf></EquivalentClasses>
  <SubClassOf><Class IRI="#Lion"/><ObjectMaxCardinality cardinality="1"><ObjectProperty IRI="#eats"/>
    <Class IRI="#Zebra"/></ObjectMaxCardinality></SubClassOf>
  <SubClassOf><Class IRI="#Lion"/><DataExactCardinality cardinality="1"><DataProperty IRI="#age"/>
    </DataExactCardinality></SubClassOf>
  <SubClassOf><Class IRI="#Lion"/><DataAllValuesFrom><DataProperty IRI="#age"/>
    <DatatypeRestriction><Datatype abbreviatedIRI="xsd:integer"/><FacetRestriction facet="&xsd;minInclusive">
      <Literal datatypeIRI="&xsd;integer">0</Literal></FacetRestriction></DatatypeRestriction>
    </DataAllValuesFrom></SubClassOf>
  <SubClassOf><ObjectHasSelf><ObjectProperty IRI="#eats"/></ObjectHasSelf><Class IRI="#Odd"/></SubClassOf>
  <SubClassOf><ObjectOneOf><NamedIndividual IRI="#leo"/><NamedIndividual IRI="#zed"/></ObjectOneOf>
    <ObjectHasValue><ObjectProperty IRI="#eats"/><NamedIndividual IRI="#zed"/></ObjectHasValue></SubClassOf>
  <DisjointClasses><Class IRI="#Lion"/><Class IRI="#Zebra"/><Class IRI="#Plant"/></DisjointClasses>
  <DisjointUnion><Class IRI="#Animal"/><Class IRI="#Lion"/><Class IRI="#Zebra"/></DisjointUnion>
  <DatatypeDefinition><Datatype IRI="#Adult"/><DatatypeRestriction><Datatype abbreviatedIRI="xsd:integer"/>
    <FacetRestriction facet="&xsd;minInclusive"><Literal datatypeIRI="&xsd;integer">4</Literal></FacetRestriction>
    </DatatypeRestriction></DatatypeDefinition>
  <SubObjectPropertyOf><ObjectPropertyChain><ObjectProperty IRI="#eats"/><ObjectProperty IRI="#eats"/>
    </ObjectPropertyChain><ObjectProperty IRI="#eats"/></SubObjectPropertyOf>
  <InverseObjectProperties><ObjectProperty IRI="#eats"/><ObjectProperty IRI="#eatenBy"/></InverseObjectProperties>
  <AsymmetricObjectProperty><ObjectProperty IRI="#eats"/></AsymmetricObjectProperty>
  <DataPropertyRange><DataProperty IRI="#age"/><Datatype abbreviatedIRI="xsd:integer"/></DataPropertyRange>
  <FunctionalDataProperty><DataProperty IRI="#age"/></FunctionalDataProperty>
  <HasKey><Class IRI="#Animal"/><ObjectProperty IRI="#eats"/><DataProperty IRI="#age"/></HasKey>
  <ClassAssertion><Class IRI="#Lion"/><NamedIndividual IRI="#leo"/></ClassAssertion>
  <ObjectPropertyAssertion><ObjectProperty IRI="#eats"/><NamedIndividual IRI="#leo"/>
    <AnonymousIndividual nodeID="_:prey"/></ObjectPropertyAssertion>
  <DataPropertyAssertion><DataProperty IRI="#age"/><NamedIndividual IRI="#leo"/>
    <Literal datatypeIRI="&xsd;integer">4</Literal></DataPropertyAssertion>
  <NegativeObjectPropertyAssertion><ObjectProperty IRI="#eats"/><NamedIndividual IRI="#zed"/>
    <NamedIndividual IRI="#leo"/></NegativeObjectPropertyAssertion>
  <NegativeDataPropertyAssertion><DataProperty IRI="#age"/><NamedIndividual IRI="#zed"/>
    <Literal datatypeIRI="&xsd;integer">4</Literal></NegativeDataPropertyAssertion>
  <DifferentIndividuals><NamedIndividual IRI="#leo"/><NamedIndividual IRI="#zed"/><NamedIndividual IRI="#plato"/>
  </DifferentIndividuals>
  <SameIndividual><NamedIndividual IRI="#leo"/><NamedIndividual IRI="#king"/></SameIndividual>
  <AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:label"/><IRI>#leo</IRI>
    <Literal>the "king"</Literal></AnnotationAssertion>
  <DLSafeRule>
    <Body>
      <ClassAtom><Class IRI="#Lion"/><Variable IRI="urn:swrl:var#x"/></ClassAtom>
      <DataPropertyAtom><DataProperty IRI="#age"/><Variable IRI="urn:swrl:var#x"/><Variable IRI="urn:swrl:var#n"/>
      </DataPropertyAtom>
      <BuiltInAtom abbreviatedIRI="swrlb:lessThan"><Variable IRI="urn:swrl:var#n"/>
        <Literal datatypeIRI="&xsd;integer">3</Literal></BuiltInAtom>
    </Body>
    <Head><ClassAtom><Class IRI="#Cub"/><Variable IRI="urn:swrl:var#x"/></ClassAtom></Head>
  </DLSafeRule>
</Ontology>
"""
