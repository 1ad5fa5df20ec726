"""A command beside the window: what it says becomes events, whatever it says and however it ends."""

import queue
import sys

import pytest

from bot.launcher.progress import Progress
from bot.launcher.runs import Run


def events_of(code, given=""):
    """The events of a Python program, up to its end."""
    heard = queue.SimpleQueue()
    run = Run([sys.executable, "-c", code], Progress(""), lambda run, event: heard.put((run, event)), given)
    events = []
    while not events or events[-1]["event"] != "closed":
        who, event = heard.get(timeout=600)
        assert who is run
        events.append(event)
    return events


def test_objects_are_events_or_answers_and_lines_are_remarks():
    events = events_of('print(\'{"event": "game", "result": "won"}\'); print(\'{"checks": []}\'); print("words")')
    assert events == [
        {"event": "game", "result": "won"},
        {"event": "answer", "answer": {"checks": []}},
        {"event": "told", "text": "words"},
        {"event": "closed", "code": 0},
    ]


@pytest.mark.parametrize("line", ['{"event": "dec', "{1: 2}", "[1]", "7", ""])
def test_line_that_is_no_object_is_a_remark_and_the_end_is_told(line):
    events = events_of(f"import sys; print({line!r}); sys.exit(3)")
    assert events == [{"event": "told", "text": line}, {"event": "closed", "code": 3}]


def test_remarks_are_told_without_the_name_of_the_program_and_never_taken_for_events():
    remarks = ["minebot: no board found", "minebot-calibrate: no cell changes", '{"event": "x"}']
    events = events_of(f"import sys; print(*{remarks!r}, sep=chr(10), file=sys.stderr)")
    assert [event.get("text") for event in events[:-1]] == ["no board found", "no cell changes", '{"event": "x"}']


def test_what_is_given_is_read():
    assert events_of("print(input())", "a board\n")[0]["text"] == "a board"
    assert events_of("pass", "x" * 1_000_000)[-1]["code"] == 0, "nobody reads it"


def test_end_is_told_though_a_child_still_holds_the_output():
    code = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)'], stdout=-3)"
    assert events_of(code) == [{"event": "closed", "code": 0}]
