"""`minebot advisor`: dialogues fed through standard input, and one with a true layout at the other end."""

import io
import json
import random
import re

import pytest
from bot_process import run_bot

from bot.cli import main
from solver.layout import Layout


@pytest.fixture(name="advise")
def _advise(monkeypatch, capsys):
    def advise(answers, *options):
        data = answers if isinstance(answers, bytes) else answers.encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        exit_code = main(["advisor", *options])
        return exit_code, *capsys.readouterr()

    return advise


class Answerer(io.TextIOBase):
    """Answers what the advisor asks, from a true layout."""

    def __init__(self, layout):
        self.layout = layout
        self.asked = []
        self.n_mines_met = 0
        self.prompts = io.StringIO()

    def readline(self, _most=-1):
        indices = re.findall(r"^open (.*?):", self.prompts.getvalue(), re.MULTILINE)[-1]
        cell = tuple(map(int, re.findall(r"\d+", indices)))
        assert cell not in self.asked
        self.asked.append(cell)
        if self.layout.has_mine[cell]:
            self.n_mines_met += 1
            return "mine\n"
        return f"{self.layout.numbers[cell]}\n"


@pytest.mark.parametrize("shape", [(5, 4), (3, 3, 3), (8,)])
@pytest.mark.parametrize("seed", range(4))
def test_advisor_opens_every_safe_cell_of_a_true_layout(shape, seed, monkeypatch):
    layout = Layout.random(shape, 3, random.Random(seed))
    answerer = Answerer(layout)
    monkeypatch.setattr("sys.stdin", answerer)
    monkeypatch.setattr("sys.stdout", answerer.prompts)
    exit_code = main(["advisor", "--size", "x".join(map(str, shape)), "--mines", "3"])
    n_safe = layout.has_mine.size - 3
    assert len(answerer.asked) == n_safe + answerer.n_mines_met
    last = answerer.prompts.getvalue().splitlines()[-1]
    assert exit_code == (1 if answerer.n_mines_met else 0)
    assert last == "solved" or (answerer.n_mines_met and "everything else is open" in last)


def test_advisor_says_which_cell_why_and_at_what_risk(advise):
    code, out, err = advise("0\n", "--size", "3x3", "--mines", "1")
    assert (code, err) == (0, "")
    assert "open row 0, column 0: a guess" in out
    assert "11.11%" in out
    assert "open row 0, column 1: proven safe" in out
    assert out.endswith("end-of-input\n")


def test_advisor_prints_one_json_object_and_talks_on_standard_error(advise):
    code, out, err = advise("0\nquit\n", "--size", "3x3", "--mines", "1", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["result"] == "quit"
    assert told["board"] == ["0##", "###", "###"]
    (move,) = told["moves"]
    assert (move["cell"], move["answer"], move["advised"]) == ([0, 0], 0, True)
    assert move["p_mine"] == pytest.approx(1 / 9)
    assert "open row 0, column 1" in err


@pytest.mark.parametrize("word", ["*", "mine", " MINE "])
def test_advisor_notes_a_mine_and_goes_on(advise, word):
    code, out, _ = advise(f"{word}\n1\n", "--size", "1x4", "--mines", "1", "--json")
    told = json.loads(out)
    assert code == 1
    assert (told["result"], told["mines_opened"], told["board"]) == ("lost", 1, ["X1##"])


def test_advisor_takes_answers_back(advise):
    code, out, err = advise("undo\n*\nundo\n0\nquit\n", "--size", "2x2", "--mines", "1", "--json")
    told = json.loads(out)
    assert code == 0
    assert "nothing to take back" in err
    assert "taken back: row 0, column 0 is closed again" in err
    assert told["moves"] == []  # the 0 contradicts the one mine that the other three cells must hold
    assert told["result"] == "quit"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("9", "a number from 0 to 3, or * for a mine, got '9'"),
        ("-1", "got '-1'"),
        ("", "got ''"),
        ("three", "got 'three'"),
        ("9" * 5000, "got '99999"),
        ("٣", r"got '\u0663'"),
        ("\ufffd\x00", "number from 0 to 3"),
        ("7,7 1", "expected a cell of the 3x3 board, got 7,7"),
        ("1 1", "expected a cell of the 3x3 board, got 1"),
        ("1,1 12", "number from 0 to 8"),
        ("help", "takes the last answer back"),
        ("?", "quit        ends"),
        ("board", "  012\n0 ###\n1 ###\n2 ###\n"),
        ("3", "contradicts"),
    ],
)
def test_advisor_explains_a_bad_answer_and_asks_again(advise, answer, words):
    code, out, err = advise(f"{answer}\n0\nquit\n", "--size", "3x3", "--mines", "1", "--json")
    assert code == 0
    assert words in err
    assert json.loads(out)["board"] == ["0##", "###", "###"]


def test_advisor_names_an_answer_that_contradicts(advise):
    _, out, err = advise("0\n0,2 0\n1,0 *\n0\nquit\n", "--size", "3x3", "--mines", "2", "--json")
    assert "contradicts what was told before: the number at (0,0)" in err
    assert json.loads(out)["board"][1][0] == "#"
    assert [move["advised"] for move in json.loads(out)["moves"]] == [True, False, True]


def test_advisor_takes_another_cell_than_it_advised(advise):
    _, out, err = advise("1,1 1\n1,1 1\nquit\n", "--size", "3x3", "--mines", "1", "--json")
    assert json.loads(out)["board"] == ["###", "#1#", "###"]
    assert "row 1, column 1 is open already" in err


def test_advisor_survives_bytes_that_are_no_text(advise):
    code, out, _ = advise(b"\xff\xfe\x00\n0\n", "--size", "3x3", "--mines", "1", "--json")
    assert (code, json.loads(out)["board"][0]) == (0, "0##")


@pytest.mark.parametrize(
    ("size", "mines", "words"),
    [
        ("3", "9", "0 to 3 mines"),
        ("3x", "1", "--size/--shape: expected a size such as 16x30"),
        ("0x3", "0", "1 to 100,000 cells"),
        ("999999x999999", "1", "1 to 100,000 cells"),
        ("x".join("1" * 12), "1", "at most 9 dimensions"),
        ("3x3", "10", "0 to 9 mines"),
        ("3x3", "-1", "--mines: expected a whole number of 0 or more, got '-1'"),
    ],
)
def test_advisor_exits_2_on_bad_arguments(advise, size, mines, words):
    code, out, err = advise("", "--size", size, f"--mines={mines}")
    assert (code, out) == (2, "")
    assert words in err


@pytest.mark.parametrize(("mines", "result"), [("0", "solved"), ("4", "solved")])
def test_advisor_knows_when_nothing_is_left(advise, mines, result):
    code, out, _ = advise("0\n" * 4, "--size", "2x2", "--mines", mines, "--json")
    assert (code, json.loads(out)["result"]) == (0, result)


def test_advisor_ends_cleanly_without_a_terminal():
    code, output, remarks = run_bot("advisor", "--size", "3x3", "--mines", "1")
    assert (code, remarks) == (0, "")
    assert output.endswith("end-of-input\n")
