"""The kernel compiler and its cache: numba, told where to keep what it compiled.

Why numba: it keeps `pip install` enough on every system, since a person needs no C compiler, and costs little: a
throw-away port to C was 2.2 times as fast, where the whole of an analysis outside the kernel already takes longer.

The cache folder carries a hash of the kernel's sources, of the libraries' versions, of the Python and of the processor.
numba's own check looks at the file of the entry function only, and would go on with a stale copy of what that one
calls; and it looks at the file's place and time, so that each checkout of the same sources would compile again: where
it can be told, it goes by the hash (`ByContent`). So a machine compiles a kernel once, wherever it is installed.
A finished folder is marked; without the mark nothing is compiled: a solver that stops for a minute in the middle
of a game is worse than a slow one. Compiling is a step of the set-up: `python -m solver.kernel`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
from llvmlite import binding
from numba.core import caching

HERE = Path(__file__).parent
config: Any = numba.config
_READY = "ready"
_PREFIX = "kernel-"
_MOST_KEPT = 16
"""Most compiled kernels that are kept, two megabytes each: those of other versions and Pythons may be in use, too."""

_KEEPS_BY_CONTENT = hasattr(config, "CACHE_LOCATOR_CLASSES")
"""Whether numba can be told what its files depend on; else it goes by a source's time, new in every fresh checkout."""

_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Without numba's runtime (`_nrt`) nothing can be allocated, and no references are counted: whoever calls an entry
holds the arrays. To count those of tuples of arrays at every call made an analysis take 40 % longer."""

stage = numba.njit(**_OPTIONS)
"""Decorates a function of the kernel that only other functions of the kernel call: compiled into its caller."""

inlined = numba.njit(**_OPTIONS, inline="always")
"""Decorates a function of the kernel that calls the whole analysis: every function between it and an entry would
otherwise be optimized on its own with all of the analysis inside, which takes 10 s each."""


def cache_root() -> Path:
    """Where the compiled kernels of all versions lie: NUMBA_CACHE_DIR if set, else the user's own cache folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) if chosen else platformdirs.user_cache_path("minebot", appauthor=False)


def stamp() -> str:
    """What a compiled kernel depends on, as a hash."""
    digest = hashlib.sha256()
    for path in (*sorted(HERE.glob("*.py")), HERE.parent / "board.py"):  # the codes are compiled in
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        if not _KEEPS_BY_CONTENT:  # numba would compile again, without a word
            digest.update(f"{path} {path.stat().st_mtime_ns}".encode())
    machine = (platform.machine(), binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    libraries = (llvmlite.__version__, np.__version__)
    for word in (numba.__version__, sys.implementation.cache_tag, sys.version, *libraries, *machine):
        digest.update(str(word).encode() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where the kernel as it stands is, or would be, cached."""
    return cache_root() / (_PREFIX + stamp())


def is_ready() -> bool:
    """Whether the kernel as it stands has been compiled and cached."""
    return (cache_folder() / _READY).is_file()


def mark_ready() -> None:
    """Declare the cache finished, and remove the oldest ones where there are more than `_MOST_KEPT`."""
    (cache_folder() / _READY).touch()
    kept = []
    for folder in cache_root().glob(_PREFIX + "*"):
        with suppress(FileNotFoundError):  # another process may be tidying up as well
            kept.append((folder.stat().st_mtime_ns, folder))
    for _, old in sorted(kept)[:-_MOST_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def entry(*signature: Any, is_allocating: bool = False) -> Any:
    """Decorate a function that Python calls: compiled, or loaded from the cache, when its module loads.

    Args:
        signature: the types of its arguments.
        is_allocating: whether it makes arrays; then all that it calls has to be `inlined`.
    """

    def compile_now(function: Any) -> Any:
        settings = {"CACHE_DIR": str(cache_folder())}
        if _KEEPS_BY_CONTENT:
            settings["CACHE_LOCATOR_CLASSES"] = f"{__name__}.{ByContent.__name__}"
        before = {name: getattr(config, name) for name in settings}
        _configure(settings)
        try:
            return numba.njit(signature, **(_OPTIONS | {"_nrt": is_allocating}), cache=True)(function)
        finally:
            _configure(before)

    return compile_now


def _configure(settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        setattr(config, name, value)


class ByContent(caching.UserProvidedCacheLocator):
    """Tells numba where the compiled code is and what it depends on: the sources say both, not their place and time."""

    def get_cache_path(self) -> str:
        """The folder."""
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        """The stamp."""
        return stamp()
