"""What pyproject.toml cannot say: a wheel carries the knowledge base, made while the wheel is built."""

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithKnowledge(build_py):
    """Modules as usual, then ``ridgeline/data``: records, schemas, database. An editable install reads the repository's."""

    def run(self) -> None:
        if not self.editable_mode:
            # Modules of an earlier build that no longer exist would be packed as well.
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if not self.editable_mode:
            self.knowledge(Path(self.build_lib) / "ridgeline")

    def knowledge(self, package: Path) -> None:
        """Write the folder that ``ridgeline.open()`` reads."""
        sys.path.insert(0, str(ROOT / "tooling"))
        from ridgeline import packaged
        from ridgeline.cli.database import LICENCE, commit_of

        # Not the commit of a repository that only happens to lie around an unpacked archive.
        commit = commit_of(ROOT) if (ROOT / ".git").exists() else ""
        packaged.write(ROOT, package / packaged.FOLDER, {"licence": LICENCE, **({"commit": commit} if commit else {})})


setup(cmdclass={"build_py": BuildWithKnowledge})
