"""A session of the desktop's portals [1]: pictures of the outputs, and a mouse and a keyboard where they are asked for.

The desktop asks the person once. Its token says next time that it has asked already; each time it gives a new one.

Where the pointer is comes with the pictures, a frame or two late. So whoever clicked waits until it was seen there:
pictures from then on were made after the click.

[1] XDG Desktop Portal, org.freedesktop.portal.RemoteDesktop and ScreenCast.
"""

from __future__ import annotations

import math
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from bot.desktop.portal.bus import Portal
from bot.desktop.portal.pipewire import PipeWire
from bot.desktop.wayland.outputs import Output, output_at, place_outputs
from bot.errors import ScreenError
from bot.models import Pixel, Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.portal.pipewire import Stream

SEEN_S = 0.5
"""The longest time until the pointer is seen where it was sent, in seconds: it takes 40 ms, 90 on a busy machine."""
_KEYBOARD, _POINTER = 1, 2  # bits of devices
_MONITORS = 1  # the kind of source that is a whole output
_POINTER_APART = 4  # the way of showing the pointer: beside the pictures
_UNTIL_REVOKED = 2  # how long a permission is kept
_STILL_S = 0.06  # time without a picture after which all should have been painted, in seconds: four usual pictures
_NEAR_PX = 1  # how far rounding may take the pointer from where it was sent


class Session:
    """What the person let the bot see and do. Use it from one thread.

    Attributes:
        outputs: those that the person chose; the handle of each is its `Stream`.
        has_input: whether it has a mouse and a keyboard.
        is_placed: whether the desktop said where the outputs are; else all are at (0, 0) until `place`.

    Args:
        has_input: whether a mouse and a keyboard are needed. Where the person let the bot use them before, it has them,
            as that session is opened without another question.

    Raises:
        ScreenError: the person refused, or the desktop cannot do it.
    """

    def __init__(self, *, has_input: bool) -> None:
        self.has_input = has_input or _token_path("RemoteDesktop").exists()
        self._interface = "RemoteDesktop" if self.has_input else "ScreenCast"
        self._sent: Pixel | None = None
        """Where the pointer was sent last."""
        self._of_pixels: set[Stream] = set()
        """Those outputs on which the desktop takes a place in logical units for one in pixels."""
        self._is_seen = True
        self._passed: list[Pixel] = []
        """Where it may be seen on its way there: where it was, and was sent before."""
        self._n_pictures = 0
        """How many pictures had come when the pointer was sent there."""
        self._acted_s = -math.inf
        """When something was last sent after which a picture may be kept back."""
        with ExitStack() as stack:
            self._portal = stack.enter_context(closing(Portal()))
            self._session = self._portal.open_session(self._interface)
            stack.callback(self._portal.close_session, self._session)
            streams = self._start(needs_input=has_input)
            remote = self._portal.call(
                self._portal.address("ScreenCast"), "OpenPipeWireRemote", "oa{sv}", (self._session, {})
            )
            pipewire = stack.enter_context(closing(PipeWire(remote[0].to_raw_fd(), [node for node, _ in streams])))
            self.is_placed = all("position" in properties for _, properties in streams)
            self.outputs: Sequence[Output] = place_outputs(
                (stream, _logical(properties, stream.size), stream.size)
                for stream, (_, properties) in zip(pipewire.streams, streams, strict=True)
            )
            self._stack = stack.pop_all()

    def check_scale(self) -> None:
        """Have the pointer go where it is sent on scaled outputs, where there are any; it comes back.

        GNOME's portal takes places in logical units alone, and GNOME takes them for pixels.

        Raises:
            ScreenError: it does not.
        """
        before = self.seen_pointer()
        scaled = [output for output in self.outputs if output.scale != 1]
        for output in scaled:
            if self._is_steered(output):
                continue
            self._of_pixels.add(output.handle)
            if not self._is_steered(output):
                raise ScreenError(
                    f"the desktop lets no program point at all of a monitor at {100 * output.scale:.0f} %\n"
                    "set it to 100 % in the desktop's settings for displays"
                )
        if scaled and before is not None:
            self.send_pointer(before)

    def place(self, corners: Sequence[tuple[int, int]]) -> None:
        """Know where the top left corner of each output is, in logical units."""
        self.outputs = place_outputs(
            (one.handle, Region(*corner, one.logical.width, one.logical.height), one.handle.size)
            for one, corner in zip(self.outputs, corners, strict=True)
        )
        self.is_placed = True

    def point_at(self, output: Output, share: float = 0.5) -> bool:
        """Move the pointer to a share of an output's width and height, to whole units; whether it was seen there."""
        x, y = int(share * output.logical.width), int(share * output.logical.height)
        there = [Pixel(round(x * output.scale), round(y * output.scale))]
        self._send_pointer(output, x, y)
        output.handle.wait_until(lambda: _is_among(output.handle.pointer(), there), SEEN_S)
        return _is_among(output.handle.pointer(), there)

    def send_pointer(self, pixel: Pixel) -> Pixel:
        """Move the pointer to a pixel, or the nearest on any output; returns where that is."""
        output, at = output_at(self.outputs, pixel)
        seen = self.seen_pointer()
        if not _is_among(seen, self._passed):
            self._passed.clear()
        self._passed += [one for one in (seen, self._sent) if one is not None]
        self._sent = at
        self._acted_s = time.perf_counter()
        self._is_seen = _is_among(seen, [at])
        self._n_pictures = self._count_pictures()
        self._send_to_pixel(output, at)
        return at

    def send_button(self, button: int, *, is_down: bool) -> None:
        """Press or release a button, by the kernel's number."""
        self._notify("PointerButton", "iu", (button, int(is_down)))

    def send_key(self, keysym: int, *, is_down: bool) -> None:
        """Press or release a key, by what X11 calls it."""
        self._notify("KeyboardKeysym", "iu", (keysym, int(is_down)))

    def wait_until_seen(self) -> None:
        """Wait until the pointer was seen where it was sent, or where a hand took it; `SEEN_S` at most.

        Where it is hidden, a new picture is enough.
        """
        if not self._is_seen and self._sent is not None:
            output, _ = output_at(self.outputs, self._sent)
            output.handle.wait_until(self._has_arrived, SEEN_S)
            self._is_seen = True

    def have_last_painted(self) -> None:
        """Move the pointer by a pixel and back where no picture has come for a while since it was sent somewhere.

        A compositor may keep the last picture back until something moves: mutter 43 and KWin 6.3 do. Once is enough.
        """
        seen = self.seen_pointer()
        last_s = max(self._acted_s, *(output.handle.came_s for output in self.outputs))
        has_hand = seen is not None and not _is_among(seen, [self._sent])
        if self._sent is None or has_hand or time.perf_counter() - last_s < _STILL_S:
            return
        self._acted_s = math.inf
        output, at = output_at(self.outputs, self._sent)
        for x in (at.x + 1, at.x):
            self._send_to_pixel(output, Pixel(x, at.y))

    def pointer(self) -> Pixel:
        """Where the pointer was seen last; where it was sent last, or (0, 0), while it is on its way or hidden."""
        self.wait_until_seen()
        seen = self.seen_pointer()
        if seen is None or _is_among(seen, (self._sent, *self._passed)):
            return self._sent or Pixel(0, 0)
        return seen

    def seen_pointer(self) -> Pixel | None:
        """Where the pointer was seen last; None where it does not show."""
        for output in self.outputs:
            seen = output.handle.pointer()
            if seen is not None:
                return Pixel(output.region.left + seen.x, output.region.top + seen.y)
        return None

    def close(self) -> None:
        """End it: whatever is down goes up."""
        self._stack.close()

    def _start(self, *, needs_input: bool) -> list[tuple[int, dict[str, Any]]]:
        """Have the desktop ask the person, where it has not; returns the node and the properties of each stream.

        Raises:
            ScreenError: the person refused, be it the mouse alone.
        """
        path = _token_path(self._interface)
        kept: dict[str, tuple[str, Any]] = {"persist_mode": ("u", _UNTIL_REVOKED)}
        with suppress(FileNotFoundError):
            kept["restore_token"] = ("s", path.read_text(encoding="utf-8"))
        sources = {
            "types": ("u", _MONITORS),
            "multiple": ("b", True),
            "cursor_mode": ("u", _POINTER_APART),
        }
        if self.has_input:
            devices = {"types": ("u", _KEYBOARD | _POINTER), **kept}
            self._portal.request("RemoteDesktop", "SelectDevices", "o", (self._session,), devices)
        else:
            sources |= kept
        self._portal.request("ScreenCast", "SelectSources", "o", (self._session,), sources)
        told = self._portal.request(self._interface, "Start", "os", (self._session, ""))
        if "restore_token" in told:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(told["restore_token"], encoding="utf-8")
        self.has_input = self.has_input and bool(told["devices"] & _POINTER)
        if needs_input and not self.has_input:
            raise ScreenError(
                "you let the bot see the screen, but not use the mouse\n"
                "start it again, and allow remote interaction in the desktop's question"
            )
        return list(told["streams"])

    def _is_steered(self, output: Output) -> bool:
        """Whether the pointer goes where it is sent on an output; it may have been in one of two places before."""
        return self.point_at(output) and self.point_at(output, 0.75)

    def _send_to_pixel(self, output: Output, pixel: Pixel) -> None:
        x, y = pixel.x - output.region.left, pixel.y - output.region.top
        self._send_pointer(output, x / output.scale, y / output.scale)

    def _send_pointer(self, output: Output, x: float, y: float) -> None:
        """Move the pointer on an output, in logical units. From another one KWin lets it come 100 short at first."""
        for _ in range(1 if output.handle.pointer() is not None else 2):
            self._notify("PointerMotionAbsolute", "udd", (output.handle.node, float(x), float(y)))
        if output.handle in self._of_pixels:
            self._passed.append(Pixel(output.region.left + round(x), output.region.top + round(y)))
            self._notify("PointerMotion", "dd", (x - x / output.scale, y - y / output.scale))

    def _notify(self, what: str, signature: str, body: tuple[Any, ...]) -> None:
        """Act; returns when the portal has passed it on, as it may pass on what comes at once in any order."""
        address = self._portal.address("RemoteDesktop")
        self._portal.call(address, f"Notify{what}", f"oa{{sv}}{signature}", (self._session, {}, *body))

    def _has_arrived(self) -> bool:
        seen = self.seen_pointer()
        if seen is None:
            return self._count_pictures() > self._n_pictures
        return _is_among(seen, [self._sent]) or not _is_among(seen, self._passed)

    def _count_pictures(self) -> int:
        return sum(output.handle.n_pictures for output in self.outputs)


def _is_among(seen: Pixel | None, places: Sequence[Pixel | None]) -> bool:
    """Whether the pointer was seen at one of these places, but for rounding."""
    return seen is not None and any(
        max(abs(seen.x - one.x), abs(seen.y - one.y)) <= _NEAR_PX for one in places if one is not None
    )


def _token_path(interface: str) -> Path:
    return Path(platformdirs.user_state_dir("minebot", appauthor=False)) / f"{interface.lower()}-token"


def _logical(properties: dict[str, Any], size: tuple[int, int]) -> Region:
    """Where an output is, in logical units; a desktop that does not say has one, at 100 %."""
    _, (x, y) = properties.get("position", ("", (0, 0)))
    _, (width, height) = properties.get("size", ("", size))
    return Region(x, y, width, height)
