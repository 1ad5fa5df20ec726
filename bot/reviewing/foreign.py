"""The child process that has ms_toollib read a replay: `python -m bot.reviewing.foreign .avf < FILE`.

It writes one JSON object: the layout, the presses, and what else the file tells. ms_toollib ends the whole process on
some files; nothing but this child is lost then. See `bot.reviewing.replay_files`, which starts it. Imports nothing else
of this project: that would take longer than most files.
"""

from __future__ import annotations

import json
import sys
from typing import Any

NOT_INSTALLED = 3  # exit code where ms_toollib is missing
_NAMES = {".avf": "AvfVideo", ".rmv": "RmvVideo", ".evf": "EvfVideo"}
_MOVED = "mv"


def main() -> int:
    """Read the replay on standard input; the exit code."""
    try:
        import ms_toollib  # noqa: PLC0415 - an extra
    except ImportError:
        return NOT_INSTALLED
    suffix = sys.argv[1]
    video = getattr(ms_toollib, _NAMES[suffix])(f"replay{suffix}", list(sys.stdin.buffer.read()))
    video.parse()
    json.dump(_as_json(video), sys.stdout)
    return 0


def _as_json(video: Any) -> dict[str, Any]:
    board = video.board if isinstance(video.board, list) else video.board.into_vec_vec()
    side_px = video.pix_size
    presses = []
    for event in video.events:
        if event.event.is_mouse():
            mouse = event.event.unwrap_mouse()
            if mouse.mouse != _MOVED:
                presses.append((event.time, mouse.mouse, mouse.y // side_px, mouse.x // side_px))
    return {
        "has_mine": [[number == -1 for number in row] for row in board],
        "presses": presses,
        "program": str(video.software),
        "player": str(video.player_identifier),
        "seconds": video.rtime,
        "has_marks": bool(getattr(video, "use_question", False)),
        "told": {"bbbv": video.bbbv, "openings": video.op, "islands": video.isl},
    }


if __name__ == "__main__":
    sys.exit(main())
