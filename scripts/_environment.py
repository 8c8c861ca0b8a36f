"""The virtual environment of the checkout, made with the standard library and pip."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CONSTRAINTS = ROOT / "scripts" / "constraints.txt"
MARKER = VENV / "memoryd-environment.json"
# Installed before all else: without the exact pin pip may choose a build with gigabytes of GPU libraries.
TORCH = "torch"
NEEDS_TORCH = frozenset({"st", "all", "dev"})


@dataclass(frozen=True)
class Installed:
    """What an environment holds: a hash of what was declared, and the extras."""

    requirements: str
    extras: list[str]


def require_python() -> None:
    """Leave with a clear message when the interpreter is too old."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the scripts are run by whatever Python is there
        sys.exit(f"memoryd needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}")


def python(venv: Path = VENV) -> Path:
    """The interpreter of a virtual environment."""
    return venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def prepare(extras: Sequence[str] = ()) -> Path:
    """Make `.venv` hold memoryd with at least `extras`; return its interpreter. Instant when it does.

    Leaves with pip's own words when the installation fails.
    """
    requirements, found = _requirements_hash(), _installed()
    up_to_date = found is not None and found.requirements == requirements
    if found is not None and up_to_date and set(extras) <= set(found.extras):
        return python()
    if found is None:
        _create()
    wanted = sorted({*extras, *(found.extras if found is not None else ())})
    MARKER.unlink(missing_ok=True)
    _install(wanted)
    MARKER.write_text(json.dumps({"requirements": requirements, "extras": wanted}), encoding="utf-8")
    return python()


def inside() -> bool:
    """Whether this process runs in the checkout's virtual environment."""
    return Path(sys.prefix).resolve() == VENV.resolve()


def run_where_installed() -> None:
    """Return where memoryd is installed; from elsewhere run the script in `.venv`."""
    if find_spec("memoryd") is None or find_spec("zmq") is None:
        run_inside()


def run_inside(extras: Sequence[str] = ()) -> None:
    """Return in `.venv`; from elsewhere make it, run the script there and leave with its code."""
    if inside():
        return
    interpreter = prepare(extras)
    try:
        sys.exit(subprocess.call([str(interpreter), *sys.argv]))
    except KeyboardInterrupt:
        sys.exit(130)


def _requirements_hash() -> str:
    """Changes with the declared dependencies, the pins and the Python that was used."""
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = json.dumps(declared["project"], sort_keys=True)
    pins = CONSTRAINTS.read_text(encoding="utf-8")
    return hashlib.sha256("\0".join([project, pins, sys.version, str(ROOT)]).encode()).hexdigest()


def _installed() -> Installed | None:
    """What the environment was made for; None when it is absent, half made or not ours."""
    if not python().exists() or not MARKER.exists():
        return None
    try:
        return Installed(**json.loads(MARKER.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        return None


def _create() -> None:
    if VENV.exists():
        if not (VENV / "pyvenv.cfg").exists():
            sys.exit(f"{VENV} is not a virtual environment; move it away and run this again")
        shutil.rmtree(VENV)
    made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True)
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(
            f"cannot make the virtual environment {VENV}:\n{made.stdout}{made.stderr}\n"
            "On Debian and Ubuntu install the package python3-venv and run this again."
        )


def _install(extras: Sequence[str]) -> None:
    if NEEDS_TORCH & set(extras):
        _pip(_pin(TORCH))
    _pip("--editable", f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT))


def _pip(*what: str) -> None:
    command = [str(python()), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--constraint", str(CONSTRAINTS), *what], cwd=ROOT, env=_environment())
    if done.returncode:
        sys.exit(f"pip could not install {what[-1]}, its words are above; run this again when that is mended")


def _environment() -> dict[str, str]:
    """Without what would lead pip or Python to another place."""
    elsewhere = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}
    return {name: value for name, value in os.environ.items() if name not in elsewhere}


def _pin(name: str) -> str:
    found = re.search(rf"^{re.escape(name)}==\S+", CONSTRAINTS.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        sys.exit(f"{CONSTRAINTS} has no exact pin of {name}")
    return found.group()
