"""A forked program does the same as a started one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from patience import PATIENCE_S

if sys.platform != "linux":
    pytest.skip("processes are forked on Linux only", allow_module_level=True)

from forked import Forked

COMMANDS = [
    ["bot", "read", "tests/screens/minebot-expert-mid.png"],
    ["bot", "read", "tests/screens/none.png"],
    ["bot", "play", "--colour"],
    ["calibration", "--help"],
    ["calibration", "--live", "--now"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_forked_program_says_what_a_started_one_says_and_ends_alike(command):
    env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    started = subprocess.run([sys.executable, "-m", *command], env=env, capture_output=True, text=True, check=False)
    forked = Forked(command, env)
    assert forked.communicate(timeout=PATIENCE_S) == (started.stdout, started.stderr)
    assert forked.returncode == forked.poll() == started.returncode


def test_forked_program_has_its_own_environment_and_writes_to_files(tmp_path):
    skins = str(tmp_path / "skins")
    with (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
        forked = Forked(["bot", "doctor", "--json"], {"PATH": os.environ["PATH"], "MINEBOT_SKINS": skins}, out, err)
        assert forked.communicate(timeout=PATIENCE_S) == (None, None)
    assert json.loads((tmp_path / "out").read_text())
    assert "DISPLAY" in (tmp_path / "out").read_text()
    assert not (tmp_path / "err").read_text()


def test_forked_program_is_ended_by_signals_and_by_the_patience_of_who_waits():
    command = ["bot", "simulate", "expert", "-n", "100000000"]
    asked, killed, late = (Forked(command, dict(os.environ)) for _ in range(3))
    assert asked.poll() is None
    asked.terminate()
    asked.communicate(timeout=PATIENCE_S)
    assert asked.returncode == 130
    killed.kill()
    killed.communicate(timeout=PATIENCE_S)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(subprocess.TimeoutExpired):
        late.communicate(timeout=0.1)
    assert late.wait(60) == -signal.SIGKILL
