"""What `fuzz_commands` puts to the command line: arguments and files, well-formed, broken, huge or hostile."""

from __future__ import annotations

import io
import json
import shutil
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from solver.board import CLOSED, Board, format_board
from solver.formats import AUTO, FORMATS, InexpressibleError, parse_as
from solver.layout import Layout
from solver.rules.levels import LEVELS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Maker = Callable[["Workshop"], list[str]]

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"
SCREENS = GOLDEN.parent / "screens"
SHIPPED = Path(__file__).resolve().parent.parent / "skins" / "data"
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/stdin", "/proc/self/mem", "/", "/nowhere/x", "")
SMALL = ("1", "2", "3", "8", "10", "10")
ABSURD = (
    *("0", "-1", "-99999999999999999999", "9" * 20, "9" * 5000, "1e999", "nan", "inf", "-inf", "1e-320", "0x10"),
    *(
        "",
        " ",
        "\u0663",
        "\u00bd",
        "1.5",
        "1_0",
        "none",
        "all",
        "\udc80",
        "--",
        "-",
        "1,",
        ",",
        "a,b",
        "\u2028",
        "%s",
        "{}",
    ),
)
SHAPES = ("5,5", "9,9", "16,30", "4,4,4", "3,3,3,3", "1,1", "1", "40", "2,2,2,2,2", "24,30")
ODD_SHAPES = (
    *("0,0", "-3,4", "1,99999", "100000,100000", "2," * 13 + "2", "1," * 30 + "1", "3," * 9 + "3", "1.5,2", ",", "9;9"),
    *("5x5", "99999999999999999999,1", "1,1,1,1,1,1,1,1,1,1,1,1,1,1", "", "a,b", "2,2,2,2,2,2,2,2,2,2"),
)
CELLS = ("0,0", "1,1", "2,3", "4,4", "0,0,0", "0", "1,1,1,1")
ODD_CELLS = ("99,99", "-1,0", "a,b", "", ",", "0,", "1.5,0", "9" * 30 + ",0", "0,0,0,0,0,0,0,0,0")
NAMES = ("classic", "minebot", "auto", "4d", "winemine", "mine-own", "broken")
ODD_NAMES = (
    "",
    ".",
    "..",
    "../x",
    "/etc/passwd",
    "a" * 300,
    "a b",
    "\u00e9",
    "\udc80",
    "no such",
    "con",
    "-",
    "a/b",
    "\n",
)
MUCH = 2**20


class Workshop:
    """Makes files for one run, in its folder, at random."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng = rng
        self.folder = folder
        self._n_files = 0

    # ------------------------------------------------------------ words

    def number(self) -> str:
        """A count that makes sense, or one that does not."""
        return self.rng.choice(SMALL if self.rng.random() < 0.88 else ABSURD)

    def of(self, usual: tuple[str, ...], odd: tuple[str, ...]) -> str:
        """One that makes sense more often than not."""
        return self.rng.choice(usual if self.rng.random() < 0.9 else odd)

    def output(self, suffix: str) -> str:
        """Where a command is to write."""
        places = (
            f"out{suffix}",
            f"full/out{suffix}",
            "full",
            f"no/such/out{suffix}",
            "/dev/full",
            "/dev/null",
            "/",
            "",
        )
        name = self.rng.choices(places, (8, 4, 1, 1, 1, 1, 1, 1))[0]
        return name if name.startswith("/") or not name else str(self.folder / name)

    # ------------------------------------------------------------ files

    def keep(self, name: str, content: bytes) -> Path:
        """A new file with that content."""
        self._n_files += 1
        path = self.folder / f"{self._n_files} {name}"
        path.write_bytes(content)
        return path

    def noise(self, most: int) -> bytes:
        """Bytes without a meaning, or one line that is long."""
        n_bytes = self.rng.randrange(1, most)
        if self.rng.random() < 0.4:
            return self.rng.choice((b"#", b"1", b"\x00", b"9 ", b"[", b"{", b"\xff")) * n_bytes
        return self.rng.randbytes(n_bytes)

    def file(self, content: bytes, name: str) -> Path:
        """A file with that content, whole or broken, or something else in its place."""
        chance = self.rng.random()
        if chance < 0.07:
            return Path(self.rng.choice(DEVICES))
        if chance < 0.10:
            return self.folder
        if chance < 0.15:
            content = self.noise(MUCH)
        elif chance < 0.35:
            content = self.broken(content)
        return self.keep(name, content)

    def broken(self, content: bytes) -> bytes:
        """Some bytes changed, cut out, doubled or put in, or the end gone."""
        for _ in range(self.rng.randrange(1, 6)):
            at = self.rng.randrange(len(content) + 1)
            end = at + self.rng.choice((0, 1, 1, 8, 200))
            piece = self.rng.choice(
                (b"", b"\x00", b"9", b"-", b"\xff\xff\xff\xff", b"[[", b"1e999", content[at:end] * 3)
            )
            content = content[:at] if self.rng.random() < 0.15 else content[:at] + piece + content[end:]
        return content

    def board(self, *, is_map: bool = False) -> Path:
        """A board or a map in one of the forms."""
        text = self._true_text(is_map=is_map) if self.rng.random() < 0.6 else self._board_text()
        suffix = self.rng.choice(("txt", "txt", "map", "png"))
        return self.file(text.encode(errors="surrogateescape"), f"board.{suffix}")

    def _true_text(self, *, is_map: bool) -> str:
        """A position in a game, or where all its mines are."""
        rng = self.rng
        shape = rng.choice(((5, 5), (9, 9), (16, 30), (3, 4, 5), (3, 3, 3, 3), (1, 12), (2, 2, 2, 2, 2)))
        layout = Layout.random(shape, rng.randrange(1, 7), rng, wrap=rng.random() < 0.2)
        if is_map:
            return "".join(
                "".join("x" if is_mine else "o" for is_mine in row) + "\n"
                for row in layout.has_mine.reshape(shape[0], -1)
            )
        is_open = np.array([rng.random() < 0.5 for _ in range(layout.has_mine.size)]).reshape(shape)
        cells = np.where(is_open & ~layout.has_mine, layout.numbers, CLOSED).astype(np.int16)
        return format_board(Board(cells, layout.n_mines, layout.wrap))

    def _board_text(self) -> str:
        chance = self.rng.random()
        if chance < 0.25:
            shape = self.of(SHAPES, ODD_SHAPES).replace(",", "x")
            return f"; shape: {shape}\n; mines: {self.number()}\n" + "# # # # 1\n" * 5
        if chance < 0.5:
            rows, cols = self.rng.randrange(1, 20), self.rng.randrange(1, 20)
            signs = self.rng.choice(("##1", "####123F", "xo", "#0123456789F?*Xx+!"))
            return "".join("".join(self.rng.choices(signs, k=cols)) + "\n" for _ in range(rows))
        path = self.rng.choice(
            sorted([*(GOLDEN / "seed-boards").glob("*.txt"), *(GOLDEN / "text-boards").glob("*.txt")])
        )
        text = path.read_text(encoding="utf-8")
        if path.parent.name == "text-boards":
            return text
        try:
            return self.rng.choice(list(FORMATS.values())).format(parse_as(text, "rows"))
        except InexpressibleError:
            return text

    def answers(self) -> Path:
        """What a person may answer to prompts."""
        words = (
            "0",
            "1",
            "2",
            "3",
            "*",
            "mine",
            "1,1 2",
            "undo",
            "board",
            "quit",
            "help",
            "o 1,1",
            "f 2,2",
            "y",
            "n",
            "",
        )
        n_lines = self.rng.choice((0, 3, 30, 3000))
        lines = [self.rng.choice(words if self.rng.random() < 0.9 else ABSURD) for _ in range(n_lines)]
        return self.file("\n".join(lines).encode(errors="surrogateescape"), "answers")

    def layouts(self) -> Path:
        """A file of boards, one a line, a recording, or a board's text."""
        if self.rng.random() < 0.2:
            return self.recording()
        lines = ["1 5 5 2,1 0,2;0,4;3,3;4,4", "2 4,4,4 0,0,0 1,1,1;3,3,3", "3 1 3 0,0 0,2"]
        odd = [
            "4 99999 99999 0,0 1,1",
            "5 2 2 9,9 0,0",
            "6 2 2 0,0 " + "0,1;" * 9,
            "x",
            "7 1,1,1,1,1,1,1,1,1,1,1,1 0 0",
        ]
        kept = [
            self.rng.choice(lines if self.rng.random() < 0.9 else odd) for _ in range(self.rng.choice((0, 1, 5, 50)))
        ]
        return self.file("\n".join(kept).encode(), "boards.txt")

    def picture(self) -> Path:
        """A picture of a board, of something else, or what only says that it is one."""
        if self.rng.random() < 0.15:
            return self.keep("huge.png", _png_header(self.rng.choice((40000, 2**31 - 1, 20000, 6324, 0)), 6324))
        if self.rng.random() < 0.1:
            return self.keep(
                "huge.bmp", b"BM" + struct.pack("<IIIIiiHHIIiiII", 54, 0, 54, 40, 30000, -30000, 1, 24, *[0] * 6)
            )
        path = self.rng.choice([path for path in sorted(SCREENS.rglob("*.png")) if path.stat().st_size < 2**18])
        return self.file(path.read_bytes(), "picture.png")

    def replay(self) -> Path:
        """A replay, a recording, or something else; whole or broken."""
        kind = self.rng.random()
        if kind < 0.3:
            return self.recording() if kind < 0.2 else self.layouts()
        source = self.rng.choice(sorted((GOLDEN / "replays").iterdir()))
        content = source.read_bytes()
        path = self.folder / f"replay {self._n_files}{source.suffix}"
        path.write_bytes(self.broken(content) if self.rng.random() < 0.5 else content)
        return path

    def recording(self) -> Path:
        """A recording of play, whole or broken."""
        folder = self.folder / f"recording {self._n_files}"
        folder.mkdir(exist_ok=True)
        log = (SCREENS / "winemine-game" / "journal.jsonl").read_bytes()
        for number in range(1, self.rng.choice((2, 4, 9))):
            shutil.copy(SCREENS / "winemine-game" / f"{number:05}.png", folder)
        log = b"".join(log.splitlines(keepends=True)[: self.rng.choice((1, 4, 10, 500))])
        if self.rng.random() < 0.3:
            log = self.broken(log)
        if self.rng.random() < 0.2:
            log = log.replace(b'"rows": ', self.rng.choice((b'"rows": -', b'"rows": 9999999', b'"rows": 1e9, "x": ')))
        if self.rng.random() < 0.1:
            log = log.replace(b"00002.png", self.rng.choice((b"../x.png", b"/dev/zero", b"/etc/passwd", b"")))
        if self.rng.random() < 0.1:
            log = self.noise(MUCH)
        (folder / "journal.jsonl").write_bytes(log)
        return folder if self.rng.random() < 0.9 else Path(self.rng.choice(DEVICES))

    def skins_folder(self) -> Path:
        """A folder of a person's own skins, of which some are broken, or something else."""
        folder = self.folder / "own skins"
        if folder.exists() or self.rng.random() < 0.1:
            return folder if folder.exists() else Path(self.rng.choice(DEVICES))
        for name in ("mine-own", "broken"):
            shutil.copytree(SHIPPED / "classic", folder / name)
            profile = folder / name / "skin.toml"
            text = profile.read_text(encoding="utf-8").replace('"classic"', f'"{name}"', 1)
            profile.write_text(text, encoding="utf-8")
        odd = self.rng.choice(
            (
                "pitch_px = [inf, nan]",
                'file = "/dev/zero"',
                "x = " + "[" * 9999,
                "pitch_px = [0, -1]",
                "pitch_px = [1, 1]",
            )
        )
        if self.rng.random() < 0.6:
            profile.write_text(f"{odd}\n{text}", encoding="utf-8")
        else:
            profile.write_bytes(self.broken(text.encode()))
        if self.rng.random() < 0.3:
            (folder / "broken" / "sprites.png").write_bytes(_png_header(40000, 40000))
        (folder / "mine-own.learning.npz").write_bytes(self._learned())
        return folder

    def _learned(self) -> bytes:
        """What calibration learned so far: not so."""
        buffer = io.BytesIO()
        np.savez(buffer, memory=np.frombuffer(json.dumps({"version": 1, "x": []}).encode(), dtype=np.uint8))
        content = buffer.getvalue()
        return self.rng.choice((b"", b"PK", self.noise(9999), self.broken(content), content))

    def hostile_folder(self) -> Path:
        """A folder with files in it that nobody must import."""
        folder = self.folder / "hostile"
        folder.mkdir()
        for name in ("skins", "bot", "solver", "numpy", "calibration"):
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text("print('HOSTILE')\n", encoding="utf-8")
        for name in ("json.py", "logging.py", "sitecustomize.py", "conftest.py"):
            (folder / name).write_text("print('HOSTILE')\n", encoding="utf-8")
        return folder


def _png_header(width: int, height: int) -> bytes:
    """A small file that says it is a large picture."""
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes(MUCH))),
        (b"IEND", b""),
    ]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


@dataclass(frozen=True)
class Recipe:
    """How the arguments of a command are made up.

    Attributes:
        weight: how often it is chosen, beside the others.
        needed: makers of the arguments that it must have.
        options: makers of the words of those that it may have.
        endless: options with which it may have work for ever.
        needs_screen: whether it is run on a screen.
    """

    weight: float
    needed: tuple[Maker, ...]
    options: tuple[Maker, ...]
    endless: bool = False
    needs_screen: bool = False

    def arguments(self, workshop: Workshop) -> tuple[list[str], bool]:
        """The words after the command's name, and whether it may have work for ever with them."""
        rng = workshop.rng
        chance = rng.random()
        if chance < 0.03:
            return ["--help"], False
        words = [word for make in self.needed for word in make(workshop)]
        for make in rng.sample(self.options, min(len(self.options), rng.choice((0, 1, 1, 2, 3, 6)))):
            words += make(workshop)
        if chance < 0.06 and words:
            del words[rng.randrange(len(words))]
        elif chance < 0.10:
            words.insert(rng.randrange(len(words) + 1), rng.choice([*ABSURD, "--no-such-option", "-x"]))
        return [word.replace("\0", "") for word in words], self.endless


def _flags(*names: str) -> tuple[Maker, ...]:
    return tuple(lambda _, name=name: [name] for name in names)


def _option(name: str, make: Callable[[Workshop], str]) -> Maker:
    return lambda workshop: [name, make(workshop)]


def _one_of(name: str, usual: tuple[str, ...]) -> Maker:
    return lambda workshop: [name, workshop.of(usual, ODD_NAMES)]


def _shape(workshop: Workshop) -> str:
    return workshop.of(SHAPES, ODD_SHAPES)


def _cell(workshop: Workshop) -> str:
    return workshop.of(CELLS, ODD_CELLS)


def _source(workshop: Workshop) -> list[str]:
    return ["-"] if workshop.rng.random() < 0.2 else [str(workshop.board())]


def _map(workshop: Workshop) -> list[str]:
    return ["-"] if workshop.rng.random() < 0.2 else [str(workshop.board(is_map=True))]


def _picture(workshop: Workshop) -> list[str]:
    return [str(workshop.picture())]


def _picture_or_board(workshop: Workshop) -> list[str]:
    return _picture(workshop) if workshop.rng.random() < 0.5 else _source(workshop)


def _png(workshop: Workshop) -> str:
    return workshop.output(workshop.rng.choice((".png",) * 8 + (".gif", ".txt")))


def _skins_action(workshop: Workshop) -> list[str]:
    action = workshop.rng.choice(("list", "show", "check", "import-sheet"))
    if action == "import-sheet":
        sheet = workshop.file((SHIPPED / "classic" / "sprites.png").read_bytes(), "sheet.png")
        return [action, str(sheet), "--name", workshop.of(("mine-own", "new"), ODD_NAMES)]
    return [action] if action == "list" else [action, workshop.of(NAMES, ODD_NAMES)]


_FORM = tuple(FORMATS)
_NUMBER = Workshop.number
_JSON = _flags("--json", "--json")
_MINES = _option("--mines", _NUMBER)
_SKIN = _one_of("--skin", NAMES)
_WRAP = _flags("--wrap")
_SEED = _option("--seed", _NUMBER)
_FORMAT = _one_of("--format", (AUTO, *_FORM))
_OUT = _option("-o", lambda workshop: workshop.output(".txt"))
_PICTURE = _option("--picture", _png)
_THINK = _option("--think", lambda workshop: workshop.of(("0", "0.1", "0.5"), ABSURD))
_N_GAMES = _option("-n", lambda workshop: workshop.of(("1", "2", "5"), ABSURD))
_KEYS = (
    _one_of("--hotkey", ("f10", "f9", "a", "f24")),
    _one_of("--abort-key", ("esc", "f11", "ctrl")),
    _option(
        "--region", lambda workshop: workshop.of(("0,0,600,500", "100,100,50,50"), ("-5,-5,0,0", "1,2,3", "a", ""))
    ),
)
_PLAY_IN_MEMORY = (
    *_WRAP,
    _SEED,
    _one_of("--first", ("safe", "zero", "any", "hint")),
    _option("--start", _cell),
    _one_of("--policy", ("fast", "strong", "max")),
    _option("--jobs", lambda workshop: workshop.of(("1", "2", "2"), ("0", "-1", "-7", "1e9", "9" * 12, "x"))),
    _one_of("--backend", ("loky", "dask")),
    _option(
        "--scheduler", lambda workshop: workshop.of(("tcp://127.0.0.1:9",), ("", "x", "http://", "tcp://nobody:1"))
    ),
)

COMMANDS = {
    "solve": Recipe(
        6,
        (_source,),
        (
            *_JSON,
            _FORMAT,
            _MINES,
            *_WRAP,
            *_flags("--solutions", "--exact", "--sets", "--time"),
            _option("--limit", _NUMBER),
            _option("--explain", _cell),
            _one_of("--level", LEVELS),
        ),
    ),
    "advise": Recipe(
        5,
        (_picture_or_board,),
        (*_JSON, *_flags("--why", "--whole"), _THINK, _PICTURE, _SKIN, _MINES, _FORMAT),
        endless=True,
    ),
    "read": Recipe(5, (_picture,), (*_JSON, _SKIN, _MINES, *_flags("--whole"), _PICTURE)),
    "map": Recipe(4, (_map,), (*_JSON, _FORMAT, _option("--start", _cell), _MINES)),
    "advisor": Recipe(
        4,
        (_option("--size", lambda workshop: _shape(workshop).replace(",", "x")), _MINES),
        (*_JSON, *_WRAP),
        endless=True,
    ),
    "convert": Recipe(
        4, (_source, _one_of("--to", _FORM)), (*_JSON, _one_of("--from", (AUTO, *_FORM)), _OUT, *_flags("--lossy"))
    ),
    "render": Recipe(
        4,
        (_source, _option("--out", _png)),
        (
            *_JSON,
            _SKIN,
            _option("--sheet", lambda workshop: str(workshop.picture())),
            _option("--hint", _cell),
            *_flags("--rulers"),
            _option("--zoom", _NUMBER),
            _FORMAT,
        ),
    ),
    "replay": Recipe(
        4, (lambda workshop: [str(workshop.recording())],), (*_JSON, *_flags("--step"), _option("--picture", _png))
    ),
    "review": Recipe(
        4,
        (lambda workshop: [str(workshop.replay())] * workshop.rng.choice((0, 1, 1, 1, 2)),),
        (
            *_JSON,
            _option("--html", lambda workshop: workshop.output(".html")),
            _option("--top", _NUMBER),
            _option("--think", lambda workshop: workshop.of(("0", "0.1"), ABSURD)),
        ),
    ),
    "skins": Recipe(3, (_skins_action,), (*_JSON, *_flags("--force"))),
    "generate": Recipe(
        6,
        (),
        (
            *_JSON,
            _option("--shape", _shape),
            _MINES,
            *_WRAP,
            *_flags("--guess-free", "--rate", "-v"),
            _one_of("--level", (*LEVELS, "hard")),
            _option("--3bv", lambda workshop: workshop.of(("10-20", "1-400"), ("9-1", "-", "a-b", "1-" + "9" * 30))),
            _option("--hint", lambda workshop: workshop.of(("center", *CELLS), ODD_CELLS)),
            _SEED,
            _N_GAMES,
            _one_of("--format", (*_FORM, "boards", "mbf", "sgt-mines")),
            _OUT,
            _option("--patience", lambda workshop: workshop.of(("1", "2"), ABSURD)),
        ),
        endless=True,
    ),
    "simulate": Recipe(
        6,
        (
            lambda workshop: workshop.rng.choice(
                (
                    ["beginner"],
                    ["expert"],
                    ["--shape", _shape(workshop), *_MINES(workshop)],
                    ["--boards", str(workshop.layouts())],
                )
            ),
        ),
        (
            *_JSON,
            _MINES,
            _N_GAMES,
            *_PLAY_IN_MEMORY,
            _option("--out", lambda workshop: workshop.output(".jsonl")),
            *_flags("--per-game", "-v"),
            _option("--plot", _png),
        ),
        endless=True,
    ),
    "density": Recipe(
        2,
        (lambda workshop: [_shape(workshop)], _option("--from", _NUMBER)),
        (
            *_JSON,
            _option("--wins", _NUMBER),
            _option("--tries", _NUMBER),
            *_PLAY_IN_MEMORY,
            _option("--plot", _png),
        ),
        endless=True,
    ),
    "calibrate": Recipe(
        3,
        (
            lambda workshop: [str(workshop.picture()) for _ in range(workshop.rng.choice((0, 1, 1, 2)))],
            _one_of("--name", ("new", "new", "mine-own", "classic")),
        ),
        (
            *_JSON,
            _option("--closed", _cell),
            _PICTURE,
            *_flags("--force", "--live", "--watch", "--now", "--yes"),
        ),
        endless=True,
    ),
    "doctor": Recipe(1, (), _JSON, endless=True),
    "play": Recipe(
        1,
        (),
        (
            *_JSON,
            *_flags("--now", "--dry-run", "--flags", "--no-chord", "--stop-on-loss", "--leave-dialog"),
            _option("--games", _NUMBER),
            _SKIN,
            _MINES,
            _one_of("--speed", ("max", "fast", "human")),
            _option("--risk-limit", _NUMBER),
            _THINK,
            _option("--minutes", _NUMBER),
            _option("--record", lambda workshop: workshop.output("")),
            *_KEYS,
        ),
        endless=True,
        needs_screen=True,
    ),
    "warm-up": Recipe(0.2, (), (*_JSON,)),
    "completion": Recipe(0.5, (lambda workshop: [workshop.of(("bash", "zsh", "fish"), ("sh", ""))],), (*_JSON,)),
    "coach": Recipe(0.7, (), (*_JSON, _SKIN, _MINES, *_KEYS), endless=True, needs_screen=True),
    "demo": Recipe(
        1,
        (lambda workshop: ["--headless"] if workshop.rng.random() < 0.7 else [],),
        (
            *_JSON,
            _one_of("--level", ("beginner", "intermediate", "expert")),
            _option("--games", _NUMBER),
            _SEED,
            _option("--record", lambda workshop: workshop.output("")),
        ),
        endless=True,
        needs_screen=True,
    ),
    "analyse": Recipe(
        1.5,
        (lambda workshop: [str(workshop.replay())] if workshop.rng.random() < 0.3 else _picture_or_board(workshop),),
        (*_JSON, *_flags("--whole"), _SKIN, _MINES, _FORMAT),
        endless=True,
        needs_screen=True,
    ),
    "game": Recipe(
        1.5,
        (lambda workshop: ["--text"] if workshop.rng.random() < 0.5 else [],),
        (
            *_flags("--text", "--guess-free"),
            _one_of("--level", ("beginner", "intermediate", "expert")),
            _option("--shape", _shape),
            _MINES,
            _option("--board", lambda workshop: str(workshop.layouts())),
            _SEED,
            _option("--skin", lambda workshop: workshop.of(NAMES, (*ODD_NAMES, str(workshop.picture())))),
            _option("--zoom", lambda workshop: workshop.of(("100", "150"), ABSURD)),
            _option("--position", _cell),
            _option(
                "--best-times",
                lambda workshop: workshop.of(("none",), (workshop.output(".json"), str(workshop.layouts()))),
            ),
            _option("--keep-games", lambda workshop: workshop.of(("none",), (workshop.output(""),))),
            _option("--log", lambda workshop: workshop.output(".jsonl")),
            *_JSON,
        ),
        endless=True,
        needs_screen=True,
    ),
}
"""Every command, and calibration."""
