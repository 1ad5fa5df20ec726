"""What a person, or a pipe, answers to prompts: a line, never more than has room."""

from __future__ import annotations

import io
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from bot_process import environment
from patience import PATIENCE_S

from bot.console import MOST_LETTERS, listen
from bot.errors import UsageError
from calibration.cli import _consents

PROMPTING = (("advisor", "--size", "5x5", "--mines", "3"), ("game", "--text"), ("replay", "{recording}", "--step"))


@pytest.mark.parametrize(
    ("said", "heard"), [("", ""), ("\n", "\n"), ("1,2 3\nmore\n", "1,2 3\n"), ("no end", "no end")]
)
def test_listen_hears_one_line(monkeypatch, said, heard):
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    assert listen() == heard


def test_listen_hears_a_byte_that_is_no_text(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="utf-8"))
    assert listen() == "\ufffd\n"


def test_listen_takes_the_longest_line_and_refuses_a_longer_one(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("x" * (MOST_LETTERS - 1) + "\n"))
    assert len(listen()) == MOST_LETTERS
    monkeypatch.setattr("sys.stdin", io.StringIO("x" * (MOST_LETTERS + 1)))
    with pytest.raises(UsageError, match="expected a line"):
        listen()


@pytest.mark.parametrize("arguments", PROMPTING)
def test_line_without_an_end_is_refused_in_bounded_memory(arguments, screens):
    words = [word.format(recording=screens / "winemine-game") for word in arguments]
    with Path("/dev/zero").open() as zero:
        done = subprocess.run(
            [sys.executable, "-m", "bot", *words],
            stdin=zero,
            capture_output=True,
            text=True,
            check=False,
            env=environment(None),
            timeout=PATIENCE_S,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (2**31, 2**31)),
        )
    assert done.returncode == 2
    assert "expected a line" in done.stderr


def test_consent_is_asked_of_nobody_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert not _consents()
