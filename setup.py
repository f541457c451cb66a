"""How a wheel is built: the folders beside ``reasoner`` go inside it, where their names collide with nobody's.

In a checkout, and so in an editable install, ``loaders``, ``ontologies`` and ``datasets`` are packages of their own. As
such they cannot be shipped: a ``loaders.py`` beside a user's script would take the place of ours, and ``datasets`` is
the import name of another project. A wheel has them as ``reasoner.loaders``, ``reasoner.ontologies`` and
``reasoner.datasets``, with the imports of all files rewritten.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

INSIDE = ("loaders", "ontologies", "datasets")
_NAMES = "|".join(INSIDE)
_IMPORT = re.compile(
    rf"^(\s*(?:(?:>>>|\.\.\.) )?)(from (?=(?:{_NAMES})\b)[\w.]+ import |import (?=(?:{_NAMES})\b)[\w.]+ as )",
    re.MULTILINE,
)


def rewritten(code: str) -> str:
    """Return the code of a file with imports of the folders that went inside.

    A plain ``import loaders`` would need the name ``loaders`` afterwards, so that our code has none.
    """
    return _IMPORT.sub(lambda found: found[1] + re.sub(rf"\b({_NAMES})\b", r"reasoner.\1", found[2], count=1), code)


class BuildPy(build_py):
    """Collect the files of a wheel; an editable install takes the folders as they are."""

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        # What an earlier build left must not get into this one.
        target = Path(self.build_lib)
        shutil.rmtree(target, ignore_errors=True)
        super().run()
        for name in INSIDE:
            shutil.rmtree(target / name, ignore_errors=True)
            shutil.copytree(name, target / "reasoner" / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in target.rglob("*.py"):
            code = path.read_text(encoding="utf-8")
            path.write_text(rewritten(code), encoding="utf-8")


class EggInfo(egg_info):
    """Write what the project is; the only top-level package that anybody may count on is ours."""

    def run(self) -> None:
        super().run()
        (Path(self.egg_info) / "top_level.txt").write_text("reasoner\n", encoding="utf-8")


setup(cmdclass={"build_py": BuildPy, "egg_info": EggInfo})
