"""Run the notebooks of the examples and write them with their outputs: ``python -m docs.generate.notebooks``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NOTEBOOKS = ("product_catalogue", "ontology_release", "spark_to_parquet")

_SECONDS = 300


def executed(path: Path) -> Any:
    """Return a notebook after running it from its first cell to its last; a cell that fails is an error.

    What is kept is what a reader needs: no times, no logs, and no number of a run before.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    paths = os.pathsep.join((str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])))
    with patch.dict(os.environ, {"PYTHONPATH": paths, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}):
        NotebookClient(
            notebook, timeout=_SECONDS, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
        ).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                # The text of a value that shows itself has addresses in memory, which differ every time.
                if "text/html" in output.get("data", {}):
                    output.data.pop("text/plain", None)
    return notebook


if __name__ == "__main__":
    import nbformat

    for name in sys.argv[1:] or NOTEBOOKS:
        path = EXAMPLES / f"{name}.ipynb"
        nbformat.write(executed(path), path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KB")
