"""`minebot convert`, and `solve --format`: files in, text out, errors that name the place."""

import errno
import io
import json
import sys
from pathlib import Path

import pytest

from bot.cli import main

SEEDS = Path(__file__).parents[2] / "golden" / "seed-boards"


@pytest.fixture(name="convert")
def _convert(tmp_path, capsys):
    def convert(data, *options):
        path = tmp_path / "board.txt"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        exit_code = main(["convert", str(path), *options])
        return exit_code, *capsys.readouterr()

    return convert


def test_convert_finds_the_form_out_and_writes_another(convert):
    assert convert("++4-2\n--++-\n+6--3\n++22+\n", "--to", "minebot") == (0, "++4#2\n##++#\n+6##3\n++22+\n", "")
    assert convert("01-\n", "--from", "md", "--to", "lisp-a1") == (0, "((0 1 C1))\n", "")


def test_convert_reads_standard_input_and_writes_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"oox\r\nooo\r\n"), encoding="ascii"))
    out = tmp_path / "out.txt"
    assert main(["convert", "-", "--from", "ps", "--to", "minebot", "-o", str(out)]) == 0
    assert capsys.readouterr() == ("", "")
    assert out.read_bytes() == b"; mines: 1\n01*\n011\n"


def test_convert_loses_nothing_unless_asked_to(convert, tmp_path):
    out = tmp_path / "out.txt"
    code, text, err = convert("; mines: 1\n1?\n##\n", "--to", "md", "-o", str(out))
    assert (code, text) == (2, "")
    assert "row 0, column 1" in err
    assert "--lossy" in err
    assert not out.exists()
    code, text, err = convert("; mines: 1\n1?\n##\n", "--to", "md", "--lossy")
    assert (code, text) == (0, "1-\n--\n")
    assert err.count("lost: ") == 2


def test_convert_prints_one_json_object(convert):
    code, out, err = convert("1#F\n", "--to", "rows", "--lossy", "--json")
    told = json.loads(out)
    assert (code, told["text"], told["to"], told["from"]) == (0, "1--\n", "rows", "minebot")
    assert len(told["lost"]) == err.count("lost: ") == 1


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (b"12\n1\n", ("--from", "md"), "row 1, column 1"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", (), "byte 0x89 at row 0, column 0"),
        (b"12\n1\xe9\n", ("--from", "md"), "byte 0xe9 at row 1, column 1"),
        ("12\n".encode("utf-16"), (), "UTF-16"),
        (b"\x00\x00\x00", (), r"'\x00' at row 0, column 0"),
        (b"", (), "got none"),
        (b"1*\n??\n", (), "name the form"),
        (b"[" * 10_000, (), "row 0, column 32"),
        (b"1-\n", ("--from", "minebot"), "it reads as md: name that form"),
    ],
)
def test_convert_exits_2_on_bad_input(convert, data, options, words):
    code, out, err = convert(data, *options, "--to", "rows")
    assert (code, out) == (2, "")
    assert words in err
    assert "board.txt" in err


def test_convert_exits_2_where_it_cannot_read_or_write(convert, tmp_path, capsys):
    assert main(["convert", str(tmp_path), "--to", "md"]) == 2
    assert main(["convert", "a\0b", "--to", "md"]) == 2
    assert main(["convert", str(tmp_path / "none"), "--to", "md"]) == 2
    assert "cannot read" in capsys.readouterr().err
    code, _, err = convert("1-\n", "--to", "md", "-o", str(tmp_path / "none" / "out"))
    assert code == 2
    assert "cannot write" in err


def test_convert_leaves_a_file_whole_that_it_cannot_write(convert, tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.write_text("kept", encoding="utf-8")
    write = Path.write_bytes

    def write_half(path, content):
        if path.name == "board.txt":
            return write(path, content)
        write(path, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_half)
    code, _, err = convert("1-\n", "--to", "md", "-o", str(out))
    assert (code, "No space left" in err) == (2, True)
    assert out.read_text(encoding="utf-8") == "kept"
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there, and devices are no files")
def test_convert_writes_through_a_link_and_to_what_is_no_file(convert, tmp_path):
    out, link = tmp_path / "out", tmp_path / "link"
    out.touch()
    link.symlink_to(out)
    assert convert("1-\n", "--to", "md", "-o", str(link))[0] == 0
    assert link.is_symlink()
    assert out.read_text(encoding="utf-8")
    assert convert("1-\n", "--to", "md", "-o", "/dev/null")[0] == 0
    assert not Path("/dev/null").is_file()


def test_convert_refuses_an_endless_file(capsys):
    if not Path("/dev/zero").exists():
        pytest.skip("no /dev/zero here")
    assert main(["convert", "/dev/zero", "--to", "md"]) == 2
    assert "at most" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["md", "auto"])
def test_solve_takes_a_board_in_another_form(form, capsys):
    assert main(["solve", str(SEEDS / "md-problem1.txt"), "--format", form, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (len(told["mines"]), len(told["safe"])) == (8, 12)


def test_solve_names_the_clue_of_a_board_in_another_form(capsys):
    assert main(["solve", str(SEEDS / "md-minesweep-30x16.txt"), "--format", "auto", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["clue"] == [2, 27]


def test_solve_reads_both_lisp_dialects(capsys):
    assert main(["solve", str(SEEDS / "lisp-4x3.txt"), "--format", "lisp", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["safe"], told["n_models"]) == ([[0, 0]], "2")
    strict = str(SEEDS / "lisp-4x3-strict.txt")
    assert main(["solve", strict, "--format", "lisp-loose", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["safe"] == [[0, 0]]
    assert main(["solve", strict, "--format", "lisp", "--json"]) == 3
