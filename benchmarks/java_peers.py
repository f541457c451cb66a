"""Peers that run on Java: their libraries through Maven, and our rules in their syntax."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reasoner.rules.rule import Atom, Rule

_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>benchmarks</groupId>
  <artifactId>{name}</artifactId>
  <version>1</version>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""
_DEPENDENCY = """\
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
    </dependency>"""
_MOST_SECONDS = 600


class UnavailablePeerError(Exception):
    """A peer cannot be had on this machine, which is told and is no failure."""


@dataclass(frozen=True, slots=True)
class JavaLibrary:
    """A library of Maven's central repository, in one artifact or several."""

    name: str
    version: str
    group: str
    artifacts: tuple[str, ...]

    def jars(self, folder: Path) -> Path:
        """Return the folder of the library and all that it needs, after fetching them if they are not there.

        Raise an ``UnavailablePeerError`` that says what is missing.
        """
        target = folder / f"{self.name}-{self.version}"
        if any(target.glob("*.jar")):
            return target
        for command in ("java", "javac", "mvn"):
            if shutil.which(command) is None:
                raise UnavailablePeerError(f"there is no {command} on this machine")
        target.mkdir(parents=True, exist_ok=True)
        pom = target / "pom.xml"
        dependencies = "\n".join(
            _DEPENDENCY.format(group=self.group, artifact=artifact, version=self.version) for artifact in self.artifacts
        )
        pom.write_text(_POM.format(name=self.name, dependencies=dependencies), encoding="utf-8")
        command = ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={target}"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_MOST_SECONDS)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            raise UnavailablePeerError(f"Maven could not fetch {self.name} {self.version}") from error
        return target


def jena_rules(rules: Iterable[Rule]) -> str:
    """Write rules for the forward engines of Jena, which derive nothing from constraints.

    Raise a ``ValueError`` for negation and builtins, which are not exported.

    >>> from reasoner.terms.term import Variable
    >>> x, y = Variable("x"), Variable("y")
    >>> print(jena_rules([Rule("inv", Atom(y, "<urn:q>", x), (Atom(x, "<urn:p>", y),))]), end="")
    [rule0: (?x <urn:p> ?y) -> (?y <urn:q> ?x)]
    """
    lines = []
    for rule in rules:
        if rule.head is None:
            continue
        if rule.conditions or rule.negative:
            raise ValueError(f"the rule {rule.name} has negation or conditions, which are not exported")
        body = ", ".join(map(_triple, rule.body))
        lines.append(f"[rule{len(lines)}: {body} -> {_triple(rule.head)}]\n")
    return "".join(lines)


def _triple(atom: Atom) -> str:
    return f"({atom.subject} {atom.predicate} {atom.object})"
