"""Feed the text forms broken input for a while, and say what came of it.

    python -m scripts.fuzz_formats [--seconds 180] [--seed N] [--plain]

Every input is either read, and then what is written of it must read back equal, or refused with a documented error; and
quickly. With atheris (`pip install atheris`; not a dependency of ours) coverage leads the way; without it, or with
--plain, the golden boards are mutated at random. Ends at the first input that breaks a rule, prints it, exits with 1.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.errors import BoardTextError
from solver.formats import AUTO, FORMATS, FullMap, InexpressibleError, as_full_map, decode, parse_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.formats import Document, Format

SEED_BOARDS = Path(__file__).resolve().parent.parent / "tests" / "golden" / "seed-boards"
_INSTRUMENTED = ("solver.board", "solver.formats")
FORMS = [AUTO, *FORMATS]
_WRITERS = list(FORMATS.values())
SLOWEST_S = 2.0
"""More than any input of this size may take, on a slow machine under load."""
PIECES: list[str] = [
    *"012345678 9-+#?*FxXo!()[],\"'\n\t;",
    *("[[", "]]", "((", "))", "; mines: ", "; shape: 2x2", "; wrap\n", "A1", "ZZ9", "-8", "32767", "9" * 40, "\r\n"),
    *("\x00", "\ufeff", "\u2028", "\u0663", "\udc80"),
]


@dataclass
class Figures:
    """What came of the inputs so far."""

    n_inputs: int = 0
    n_read: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FORMS, 0))
    n_refused: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FORMS, 0))
    slowest_s: float = 0.0
    begun_at_s: float = field(default_factory=time.monotonic)

    def tell(self) -> None:
        """Print them."""
        took_s = time.monotonic() - self.begun_at_s
        print(f"\n{self.n_inputs:,} inputs in {took_s:.0f} s ({self.n_inputs / took_s:,.0f}/s), no rule broken")
        print(f"slowest: {self.slowest_s * 1e3:.1f} ms")
        for form in FORMS:
            print(f"{form:12} read {self.n_read[form]:10,}  refused {self.n_refused[form]:10,}")


def main() -> int:
    """Fuzz for so many seconds; return 0 when no rule was broken."""
    parser = argparse.ArgumentParser(prog="fuzz_formats", description="Feeds the text forms broken input.")
    parser.add_argument("--seconds", type=float, default=180.0, help="how long (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random inputs (default %(default)s)")
    parser.add_argument("--plain", action="store_true", help="without atheris")
    args = parser.parse_args()
    fuzzer = None if args.plain else _find_atheris()
    figures = Figures()
    if fuzzer is None:
        return _fuzz_plainly(figures, args.seconds, args.seed)
    return _fuzz_with(fuzzer, figures, args.seconds, args.seed)


def check(data: bytes, figures: Figures) -> None:
    """Put one input to a form: the first byte says which, the rest is the text.

    Raises:
        AssertionError: it broke a rule; and whatever a form should not have raised.
    """
    form = FORMS[data[0] % len(FORMS)] if data else AUTO
    figures.n_inputs += 1
    begun_at_s = time.perf_counter()
    try:
        document = parse_as(decode(data[1:]), form)
    except BoardTextError:
        figures.n_refused[form] += 1
    else:
        figures.n_read[form] += 1
        _check_round_trip(document, FORMATS[form] if form in FORMATS else _WRITERS[0])
        _check_round_trip(document, _WRITERS[data[-1] % len(_WRITERS)])
    took_s = time.perf_counter() - begun_at_s
    figures.slowest_s = max(figures.slowest_s, took_s)
    assert took_s < SLOWEST_S, f"{form} took {took_s:.1f} s"


def _check_round_trip(document: Document, form: Format) -> None:
    try:
        text = form.format(document)
    except InexpressibleError:
        return
    read = form.parse(text)
    if isinstance(read, FullMap) is isinstance(document, FullMap):
        assert read == document, f"{form.name} reads back something else"
    else:
        assert as_full_map(read).layout == as_full_map(document).layout, f"{form.name} reads back another map"


def _seed_texts() -> list[tuple[str, str]]:
    """The golden boards in every form that can express them, each with the form's name."""
    texts = [
        ("ps", "oox\nxoo\n"),
        ("qb", "?1*\nF10\n"),
        ("minebot", "; shape: 2x2x2\n# 1\n2 26\n0 0\nF x\n"),
        ("minebot", "; mines: 2\n; wrap\n##*\n+!X\n"),
    ]
    for path in sorted(SEED_BOARDS.glob("*.txt")):
        document = parse_as(path.read_text(encoding="utf-8"), "rows")
        for form in FORMATS.values():
            try:
                texts.append((form.name, form.format(document)))
            except InexpressibleError:
                continue
    return texts


def _fuzz_plainly(figures: Figures, seconds: float, seed: int) -> int:
    for data in _iter_mutations(random.Random(seed)):
        if time.monotonic() - figures.begun_at_s > seconds:
            figures.tell()
            return 0
        try:
            check(data, figures)
        except Exception as error:  # noqa: BLE001 - any other error is what is looked for
            print(f"broken by {data!r}: {error!r}", file=sys.stderr)
            return 1
    raise AssertionError("mutations never end")


def _iter_mutations(rng: random.Random) -> Iterator[bytes]:
    texts = _seed_texts()
    short_texts = [(form, text) for form, text in texts if len(text) <= 200]  # long boards cost time and teach little
    while True:
        form, text = rng.choice(texts if rng.random() < 0.05 else short_texts)
        for _ in range(rng.randrange(4)):
            text = rng.choice(_MUTATIONS)(text, rng)
        if rng.random() < 0.3:
            form = rng.choice(FORMS)
        yield bytes([FORMS.index(form)]) + text.encode("utf-8", "surrogateescape")


def _replace(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    piece: str = rng.choice(PIECES)
    return text[:at] + piece + text[at + 1 :]


def _insert(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(PIECES) + text[at:]


def _cut(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + text[start + rng.randrange(1, 9) :]


def _repeat(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text) + 1)
    piece = text[start : start + rng.randrange(1, 9)]
    return text[:start] + piece * rng.randrange(2, 9) + text[start:]


def _swap_lines(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    rng.shuffle(lines)
    return "".join(lines)


_MUTATIONS: list[Callable[[str, random.Random], str]] = [_replace, _replace, _insert, _cut, _repeat, _swap_lines]


def _find_atheris() -> Any:
    try:
        return importlib.import_module("atheris")
    except ImportError:
        print("atheris is not installed: mutating at random", file=sys.stderr)
        return None


def _fuzz_with(atheris: Any, figures: Figures, seconds: float, seed: int) -> int:
    """Let atheris choose the inputs; it ends the process itself where a rule is broken."""

    def put(data: bytes) -> None:
        check(data, figures)
        if time.monotonic() - figures.begun_at_s > seconds:
            figures.tell()
            sys.stdout.flush()
            os._exit(0)  # atheris has no other way out

    with tempfile.TemporaryDirectory() as corpus:
        for number, (form, text) in enumerate(_seed_texts()):
            (Path(corpus) / str(number)).write_bytes(bytes([FORMS.index(form)]) + text.encode())
        for module in [module for name, module in sys.modules.items() if name.startswith(_INSTRUMENTED)]:
            for function in vars(module).values():
                if inspect.isfunction(function) and function.__module__ == module.__name__:
                    atheris.instrument_func(function)
        figures.begun_at_s = time.monotonic()
        atheris.Setup([sys.argv[0], corpus, f"-seed={seed}", "-max_len=600", "-verbosity=0"], put)
        atheris.Fuzz()
    return 1


if __name__ == "__main__":
    sys.exit(main())
