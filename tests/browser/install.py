"""``python -m tests.browser.install``: bring what the browser tests need, where this machine lets us.

A Chromium with its driver comes from the distribution's packages, and axe-core, which looks for obstacles for people
with disabilities, from npm. What cannot be had is left out without a word: the tests that need it are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

AXE_VERSION = "4.14.0"
AXE = Path(sys.prefix) / "share" / "axe-core" / f"axe-{AXE_VERSION}.min.js"


def install_chromium() -> None:
    """Install Chromium if there is none, by whoever may."""
    if shutil.which("chromium") and shutil.which("chromedriver"):
        return
    if shutil.which("apt-get") and os.geteuid() == 0:
        _quietly("apt-get", "install", "--yes", "--no-install-recommends", "chromium", "chromium-driver")


def fetch_axe() -> None:
    """Fetch axe-core if it is not there; its licence, MPL 2.0, comes with it."""
    if AXE.exists() or not shutil.which("npm"):
        return
    with tempfile.TemporaryDirectory() as folder:
        _quietly("npm", "pack", f"axe-core@{AXE_VERSION}", "--pack-destination", folder)
        package = Path(folder) / f"axe-core-{AXE_VERSION}.tgz"
        if not package.exists():
            return
        with tarfile.open(package) as archive:
            for name, target in (("LICENSE", AXE.parent / "LICENSE"), ("axe.min.js", AXE)):
                found = archive.extractfile(f"package/{name}")
                if found is not None:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(found.read())


def _quietly(*command: str) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=600)


if __name__ == "__main__":
    try:
        install_chromium()
        fetch_axe()
    except (OSError, subprocess.SubprocessError, tarfile.TarError):
        sys.exit(0)
