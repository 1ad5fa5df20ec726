"""Winemine is started again where wine did not start it."""

from __future__ import annotations

import sys

import pytest
import winemine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it is about a program in place of wine")


@pytest.fixture(autouse=True)
def no_waits(monkeypatch):
    monkeypatch.setattr(winemine.time, "sleep", lambda s, wait=winemine.time.sleep: wait(min(s, 0.3)))


@pytest.fixture
def starts(tmp_path, monkeypatch):
    """A program in wine's place that ends with 5 as often as `n-faults` says, then stays; the log of its starts."""
    program, log = tmp_path / "wine", tmp_path / "starts"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> "{log}"; echo "no server" >&2\n'
        f'[ "$(wc -l < "{log}")" -gt "$(cat "{tmp_path}/n-faults")" ] && exec sleep 60\nexit 5\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return log


def shown(starts, n_faults):
    """A winemine whose window is there once it was started more often than `n_faults` times."""
    (starts.parent / "n-faults").write_text(str(n_faults))

    def find_window():
        n_starts = len(starts.read_text().splitlines()) if starts.exists() else 0
        return "window" if n_starts > n_faults else None

    return winemine.Wine("", starts.parent).shown_winemine(find_window)


def test_winemine_that_wine_did_not_start_is_started_again(starts):
    with shown(starts, n_faults=2) as window:
        assert window == "window"
    assert starts.read_text() == "winemine\n" * 3


def test_winemine_that_ends_each_time_is_told_with_what_it_said(starts):
    with pytest.raises(TimeoutError, match=r"start 5 ended with 5: .*no server"), shown(starts, n_faults=9):
        pass
    assert starts.read_text() == "winemine\n" * 5


def test_winemine_without_a_window_is_told(starts, monkeypatch):
    monkeypatch.setattr(winemine, "_WINDOW_S", 1)
    (starts.parent / "n-faults").write_text("0")
    with (
        pytest.raises(TimeoutError, match="start 1 still runs"),
        winemine.Wine("", starts.parent).shown_winemine(lambda: None),
    ):
        pass
