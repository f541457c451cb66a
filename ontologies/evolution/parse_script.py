"""The parser of evolution scripts.

    script    ::= (prefix | step | statement)*
    prefix    ::= 'prefix' name: <iri>
    step      ::= 'step' "name"
    statement ::= ('add' | 'remove') (axiom+ | '{' Turtle '}' | 'rule' rule '.')
                | 'remove' 'rule' '[' name ']'
                | 'rename' iri 'to' iri
                | 'merge' iri (',' iri)* 'into' iri
                | 'split' iri 'into' part (',' part)*
                | 'move' iri 'under' iri ('from' iri)?
                | 'deprecate' iri ('replaced' 'by' iri)? "reason"?
    part      ::= iri 'where' (class expression | '{' patterns '}')  |  iri 'otherwise'

Axioms and class expressions are in OWL's functional-style syntax; rules and patterns are those of ``reasoner.rules``.
White space does not matter; ``#`` begins a comment, which is kept if it stands on a line of its own. Statements before
the first ``step`` are a step called ``main``.
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from loaders.errors import nesting_refused
from ontologies.build import Place
from ontologies.evolution.scan_script import (
    Scanner,
    read_axioms,
    read_expression,
    read_patterns,
    read_rules,
    read_turtle,
)
from ontologies.evolution.script import (
    AddAxioms,
    AddRules,
    AddTriples,
    Deprecate,
    Merge,
    Move,
    Remark,
    RemoveAxioms,
    RemoveRuleNamed,
    RemoveRules,
    RemoveTriples,
    Rename,
    Script,
    SplitPart,
    SplitTerm,
    Statement,
    Step,
)

KEYWORDS = ("prefix", "step", "add", "remove", "rename", "merge", "split", "move", "deprecate")
_PREFIX_NAME = re.compile(r"([^\s:<>\"'(){}\[\],#]*):")
_ONLY_NAME = re.compile(r'\[\s*(?:([\w.:/+-]+)|"((?:[^"\\\n\r]|\\.)*)")\s*\]')
_MAIN = "main"


@nesting_refused("an expression of the script")
def parse_script(text: str, *, file: str = "<script>") -> Script:
    """Read a script; raise ``ParseError`` with file, line and column, and what was expected.

    >>> script = parse_script('prefix : <urn:x:>  step "tidy"  rename :Cat to :Feline')
    >>> script.steps[0].name, script.steps[0].statements[0].new
    ('tidy', '<urn:x:Feline>')
    """
    return _Parser(Scanner(text, file)).script()


class _Parser:
    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner

    def script(self) -> Script:
        scanner = self.scanner
        declared: dict[str, str] = {}
        steps: list[tuple[str, list[Statement]]] = []

        def current() -> list[Statement]:
            if not steps:
                steps.append((_MAIN, []))
            return steps[-1][1]

        while True:
            place = scanner.place()
            if (remark := scanner.remark()) is not None:
                current().append(Remark(remark, place=place))
            elif scanner.at_end:
                break
            elif scanner.peek().lower() == "prefix" or scanner.text.startswith("@prefix", scanner.offset):
                name, namespace = self.prefix()
                declared[name] = namespace
            elif scanner.take_word("step"):
                name = self.step_name([name for name, _ in steps])
                # Comments at the head of a script are no step of their own: they belong to the first one.
                heading = steps.pop()[1] if len(steps) == 1 and _only_remarks(steps[0]) else []
                steps.append((name, heading))
            else:
                current().append(self.statement())
        done = tuple(Step(name, tuple(statements)) for name, statements in steps)
        return Script(done, tuple(declared.items()), scanner.file)

    def prefix(self) -> tuple[str, str]:
        scanner = self.scanner
        is_turtle = scanner.take_mark("@prefix")
        if not is_turtle:
            scanner.take_word("prefix", "PREFIX", "Prefix")
        scanner.skip()
        match = _PREFIX_NAME.match(scanner.text, scanner.offset)
        if match is None:
            raise scanner.expected("a prefix such as ex:")
        scanner.offset = match.end()
        scanner.skip()
        if scanner.text[scanner.offset : scanner.offset + 1] != "<":
            raise scanner.expected("the namespace of the prefix, an IRI in angle brackets")
        namespace = scanner.iri("a namespace")[1:-1]
        if is_turtle and not scanner.take_mark("."):
            raise scanner.expected("the full stop that ends @prefix")
        scanner.prefixes[match[1]] = namespace
        return match[1], namespace

    def step_name(self, known: list[str]) -> str:
        self.scanner.skip()
        place = self.scanner.place()
        name = self.scanner.string()
        if name is None:
            raise self.scanner.expected('the name of the step, such as "split the staff"')
        if not name.strip():
            raise place.error("a step needs a name")
        if name in known:
            raise place.error(f"there is a step {name!r} already; give every step a name of its own")
        return name

    def statement(self) -> Statement:
        scanner = self.scanner
        scanner.skip()
        place = scanner.place()
        word = scanner.peek()
        match word:
            case "add" | "remove":
                scanner.take_word(word)
                return self.change(word == "add", place)
            case "rename":
                scanner.take_word(word)
                old = scanner.iri("the name to change")
                scanner.expect_word("to", "and the new name")
                return Rename(old, scanner.iri("the new name"), place=place)
            case "merge":
                scanner.take_word(word)
                names = [scanner.iri("a name to merge")]
                while scanner.take_mark(","):
                    names.append(scanner.iri("a name to merge"))
                scanner.expect_word("into", "and what they become, or a comma and another name")
                return Merge(tuple(dict.fromkeys(names)), scanner.iri("what they become"), place=place)
            case "split":
                scanner.take_word(word)
                return self.split(place)
            case "move":
                scanner.take_word(word)
                name = scanner.iri("the class or property to move")
                scanner.expect_word("under", "and the class or property that it goes under")
                under = scanner.iri("the class or property that it goes under")
                origin = scanner.iri("where it comes from") if scanner.take_word("from") else None
                return Move(name, under, origin, place=place)
            case "deprecate":
                scanner.take_word(word)
                name = scanner.iri("the class or property to deprecate")
                replacement = None
                if scanner.take_word("replaced"):
                    scanner.expect_word("by", "and the replacement")
                    replacement = scanner.iri("the replacement")
                return Deprecate(name, replacement, scanner.string(), place=place)
        near = get_close_matches(word.lower(), KEYWORDS, n=1, cutoff=0.5) if word else []
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise scanner.expected(f"one of {', '.join(KEYWORDS)}{hint}")

    def change(self, comes: bool, place: Place) -> Statement:
        scanner = self.scanner
        if scanner.take_word("rule"):
            return self.rule(comes, place)
        if (extent := scanner.braced()) is not None:
            triples = read_turtle(scanner, *extent)
            return AddTriples(triples, place=place) if comes else RemoveTriples(triples, place=place)
        first = last = scanner.parenthesised()
        if first is None or last is None:
            raise scanner.expected("an axiom such as SubClassOf(:A :B), Turtle in braces, or 'rule' and a rule")
        end = last[1]
        while (following := scanner.parenthesised()) is not None:
            end = following[1]
        found = read_axioms(scanner, first[0], end)
        if found.imports or found.annotations:
            raise place.error("imports and remarks about the ontology are no axioms; write them as Turtle in braces")
        kind = AddAxioms if comes else RemoveAxioms
        return kind(found.axioms, found.axiom_annotations, place=place)

    def rule(self, comes: bool, place: Place) -> Statement:
        scanner = self.scanner
        scanner.skip()
        named = _ONLY_NAME.match(scanner.text, scanner.offset)
        if not comes and named is not None and not self._goes_on_as_rule(named.end()):
            scanner.offset = named.end()
            scanner.take_mark(".")
            return RemoveRuleNamed(named[1] or scanner.unescaped(named[2], named.start(2)), place=place)
        rules = read_rules(scanner, *scanner.rule())
        return AddRules(rules, place=place) if comes else RemoveRules(rules, place=place)

    def _goes_on_as_rule(self, offset: int) -> bool:
        """Tell whether what follows a rule's name in brackets is its head; a keyword or the end is not."""
        before, self.scanner.offset = self.scanner.offset, offset
        word, ended = self.scanner.peek(), self.scanner.at_end
        mark = self.scanner.text[self.scanner.offset : self.scanner.offset + 1]
        self.scanner.offset = before
        return not ended and word not in KEYWORDS and mark != "."

    def split(self, place: Place) -> SplitTerm:
        scanner = self.scanner
        whole = scanner.iri("the class or property to split")
        scanner.expect_word("into", "and the parts")
        parts = [self.part()]
        while scanner.take_mark(","):
            parts.append(self.part())
        names = [part.name for part in parts]
        for name in {*names}:
            if names.count(name) > 1 or name == whole:
                raise place.error("a part is named twice, or as the whole", name)
        if sum(part.condition is None and part.pattern is None for part in parts) > 1:
            raise place.error("only one part can take what is left over ('otherwise')")
        return SplitTerm(whole, tuple(parts), place=place)

    def part(self) -> SplitPart:
        scanner = self.scanner
        scanner.skip()
        place = scanner.place()
        name = scanner.iri("the name of a part")
        if scanner.take_word("otherwise"):
            return SplitPart(name, place=place)
        scanner.expect_word("where", "and a class expression or patterns in braces, or 'otherwise'")
        if (extent := scanner.braced()) is not None:
            return SplitPart(name, pattern=read_patterns(scanner, *extent), place=place)
        if (extent := scanner.parenthesised()) is not None:
            return SplitPart(name, read_expression(scanner, *extent), place=place)
        return SplitPart(name, scanner.iri("a class expression, or patterns in braces"), place=place)


def _only_remarks(step: tuple[str, list[Statement]]) -> bool:
    return step[0] == _MAIN and all(isinstance(statement, Remark) for statement in step[1])
