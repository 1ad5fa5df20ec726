"""A connection to a Wayland compositor that lets programs see its outputs and press buttons: those built on wlroots.

pywayland speaks the wire and brings the common protocols. Those of wlroots [1] are declared here.

[1] wlr-protocols: wlr-screencopy-unstable-v1, wlr-virtual-pointer-unstable-v1; virtual-keyboard-unstable-v1.
"""

from __future__ import annotations

import atexit
import mmap
import os
import select
import time
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from pywayland.client.display import Display
from pywayland.protocol.wayland import WlBuffer, WlOutput, WlSeat, WlShm, WlSurface
from pywayland.protocol.xdg_output_unstable_v1 import ZxdgOutputManagerV1
from pywayland.protocol.xdg_shell import XdgPopup
from pywayland.protocol_core.argument import Argument
from pywayland.protocol_core.interface import Interface
from pywayland.protocol_core.proxy import Proxy
from pywayland.scanner.argument import ArgumentType

from bot.desktop.wayland.outputs import Output, place_outputs
from bot.errors import ScreenError
from bot.models import Region

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

_ANSWER_S = 5.0  # the longest time that a compositor takes to answer, in seconds
_KINDS = (ArgumentType.Uint, ArgumentType.Int, ArgumentType.Fixed, ArgumentType.FileDescriptor, ArgumentType.String)
_UINT, _INT, _FIXED, _FILE, _TEXT = map(Argument, _KINDS)


def _declare(
    name: str,
    version: int,
    requests: Mapping[str, Sequence[Argument]],
    events: Mapping[str, Sequence[Argument]] | None = None,
) -> type[Interface]:
    """An interface as pywayland has it; requests and events in the order of the protocol."""
    interface: Any = type(name, (Interface,), {"name": name, "version": version})
    methods: dict[str, Any] = {"interface": interface}
    for opcode, (request, arguments) in enumerate(requests.items()):
        made = [one.interface for one in arguments if one.argument_type == ArgumentType.NewId]
        methods[request] = interface.request(*arguments)(_sender(request, opcode, *made))
    for event, arguments in (events or {}).items():
        interface.event(*arguments)(_sender(event, 0))
    interface._gen_c()  # noqa: SLF001 - pywayland has no public way to declare an interface
    interface.proxy_class = type(f"{name}_proxy", (Proxy,), methods)
    return interface  # type: ignore[no-any-return]  # made by `type`, which mypy cannot follow


def _sender(name: str, opcode: int, made: Any = None) -> Callable[..., Any]:
    """The method that sends a request, and returns what it makes. A proxy whose object is destroyed is let go of."""

    def send(proxy: Any, *arguments: Any) -> Any:
        if made is not None:
            return proxy._marshal_constructor(opcode, made, *arguments)  # noqa: SLF001 - how pywayland sends
        proxy._marshal(opcode, *arguments)  # noqa: SLF001 - how pywayland sends
        if name == "destroy":
            proxy._destroy()  # noqa: SLF001 - how pywayland lets go of memory
        return None

    send.__name__ = name
    return send


def _new(interface: type[Interface]) -> Argument:
    return Argument(ArgumentType.NewId, interface=interface)


def _some(interface: type[Interface], *, nullable: bool = False) -> Argument:
    return Argument(ArgumentType.Object, interface=interface, nullable=nullable)


_Pointer = _declare(
    "zwlr_virtual_pointer_v1",
    2,
    {
        "motion": [_UINT, _FIXED, _FIXED],
        "motion_absolute": [_UINT] * 5,
        "button": [_UINT] * 3,
        "axis": [_UINT, _UINT, _FIXED],
        "frame": [],
    },
)
POINTERS = _declare(
    "zwlr_virtual_pointer_manager_v1",
    2,
    {
        "create_virtual_pointer": [_some(WlSeat, nullable=True), _new(_Pointer)],
        "destroy": [],
        "create_virtual_pointer_with_output": [
            _some(WlSeat, nullable=True),
            _some(WlOutput, nullable=True),
            _new(_Pointer),
        ],
    },
)
_Keyboard = _declare(
    "zwp_virtual_keyboard_v1",
    1,
    {"keymap": [_UINT, _FILE, _UINT], "key": [_UINT] * 3, "modifiers": [_UINT] * 4, "destroy": []},
)
KEYBOARDS = _declare(
    "zwp_virtual_keyboard_manager_v1", 1, {"create_virtual_keyboard": [_some(WlSeat), _new(_Keyboard)]}
)
_Capture = _declare(
    "zwlr_screencopy_frame_v1",
    3,
    {"copy": [_some(WlBuffer)], "destroy": []},
    {
        "buffer": [_UINT] * 4,
        "flags": [_UINT],
        "ready": [_UINT] * 3,
        "failed": [],
        "damage": [_UINT] * 4,
        "linux_dmabuf": [_UINT] * 3,
        "buffer_done": [],
    },
)
CAPTURES = _declare("zwlr_screencopy_manager_v1", 3, {"capture_output": [_new(_Capture), _INT, _some(WlOutput)]})
_Layer = _declare(
    "zwlr_layer_surface_v1",
    1,
    {
        "set_size": [_UINT] * 2,
        "set_anchor": [_UINT],
        "set_exclusive_zone": [_INT],
        "set_margin": [_INT] * 4,
        "set_keyboard_interactivity": [_UINT],
        "get_popup": [_some(XdgPopup)],
        "ack_configure": [_UINT],
        "destroy": [],
    },
    {"configure": [_UINT] * 3, "closed": []},
)
LAYERS = _declare(
    "zwlr_layer_shell_v1",
    1,
    {"get_layer_surface": [_new(_Layer), _some(WlSurface), _some(WlOutput, nullable=True), _UINT, _TEXT]},
)

NEEDED = (POINTERS, KEYBOARDS, CAPTURES, ZxdgOutputManagerV1)

ARGB = 0  # the format of a picture with an alpha: ARGB8888 of wl_shm
_TO_BGR = {
    ARGB: cv2.COLOR_BGRA2BGR,
    1: cv2.COLOR_BGRA2BGR,
    0x34324241: cv2.COLOR_RGBA2BGR,
    0x34324258: cv2.COLOR_RGBA2BGR,
}
"""How each of the formats of a picture becomes blue, green, red: ARGB8888, XRGB8888, ABGR8888, XBGR8888 of wl_shm."""
_IS_CURRENT, _IS_UPSIDE_DOWN = 1, 1  # flags of an output's mode and of a capture


class Connection:
    """A connection to the compositor. Use it from the thread that made it only.

    Raises:
        ScreenError: there is none, or it does not answer.
    """

    def __init__(self) -> None:
        self._display: Any = Display()
        try:
            self._display.connect()
        except ValueError as error:
            raise ScreenError("the Wayland compositor that WAYLAND_DISPLAY names cannot be reached") from error
        self._registry = self._display.get_registry()
        self._globals: dict[str, list[tuple[int, int]]] = {}
        self._registry.dispatcher["global"] = self._note_global
        self._buffers: dict[tuple[int, ...], tuple[Any, NDArray[np.uint8]]] = {}
        atexit.register(self.close)  # libwayland's memory must not outlive the connection
        self.roundtrip()

    def lacks(self, *interfaces: type[Interface]) -> list[str]:
        """The names of those of these that the compositor does not have."""
        return [one.name for one in interfaces if one.name not in self._globals]

    def bind(self, interface: type[Interface], version: int | None = None) -> Any:
        """The compositor's object of this interface, the first where it has several."""
        return self._bind(interface, self._globals[interface.name][0], version)

    def seat(self) -> Any:
        """The seat: whose mouse and keyboard."""
        return self.bind(WlSeat, 1)

    def outputs(self) -> list[Output]:
        """The outputs that show something; those that are turned on their side are left out."""
        places = self.bind(ZxdgOutputManagerV1, 2)
        seen = [_SeenOutput(self._bind(WlOutput, one, 2), places) for one in self._globals[WlOutput.name]]
        self.roundtrip()
        return place_outputs(
            (one.output, Region(*one.logical_place, *one.logical_size), one.pixels)
            for one in seen
            if one.is_upright and one.pixels[0] and one.logical_size[0]
        )

    def capture(self, captures: Any, output: Any) -> NDArray[np.uint8]:
        """The picture of an output as the compositor draws it next: uint8, height x width x 3, blue, green, red.

        Args:
            captures: the compositor's object that captures.
            output: its wl_output.

        Raises:
            ScreenError: it gives none, or one in a format that is not known.
        """
        frame = captures.capture_output(0, output)
        told: dict[str, tuple[int, ...]] = {}
        for event in ("buffer", "flags", "ready", "failed", "buffer_done"):
            frame.dispatcher[event] = _noting(told, event)
        try:
            self.wait_until(lambda: "buffer_done" in told or "failed" in told)
            if "failed" not in told:
                buffer, pixels = self._buffer(told["buffer"])
                frame.copy(buffer)
                self.wait_until(lambda: "ready" in told or "failed" in told)
            if "failed" in told:
                raise ScreenError("the compositor gives no picture of its output\nunlock the screen, or switch it on")
        finally:
            frame.destroy()
        bgr = np.asarray(cv2.cvtColor(pixels, _TO_BGR[told["buffer"][0]]), dtype=np.uint8)
        return bgr[::-1] if told["flags"][0] & _IS_UPSIDE_DOWN else bgr

    def share_picture(self, format_: int, width: int, height: int, stride: int) -> tuple[Any, NDArray[np.uint8]]:
        """Share memory for a picture with the compositor; returns its buffer, and uint8, height x width x 4."""
        file = os.memfd_create("minebot")
        os.ftruncate(file, stride * height)
        memory = mmap.mmap(file, stride * height)
        pool = self.bind(WlShm, 1).create_pool(file, stride * height)
        buffer = pool.create_buffer(0, width, height, stride, format_)
        pool.destroy()
        os.close(file)
        return buffer, np.frombuffer(memory, np.uint8).reshape(height, stride // 4, 4)[:, :width]

    def roundtrip(self) -> None:
        """Wait until the compositor has done all that was asked.

        Raises:
            ScreenError: it does not.
        """
        done: dict[str, tuple[int, ...]] = {}
        callback = self._display.sync()  # who is not kept hears nothing
        callback.dispatcher["done"] = _noting(done, "done")
        self.wait_until(lambda: "done" in done)

    def wait_until(self, is_done: Callable[[], bool]) -> None:
        """Hear the compositor until something is so.

        Raises:
            ScreenError: it is not within `_ANSWER_S`, or the compositor is gone.
        """
        deadline = time.monotonic() + _ANSWER_S
        try:
            self._display.dispatch()
            while not is_done():
                if self._display.flush() < 0:
                    raise ScreenError("the Wayland compositor is gone, and the screen with it")
                if not select.select([self._display.get_fd()], [], [], max(0.0, deadline - time.monotonic()))[0]:
                    raise ScreenError(f"the Wayland compositor did not answer within {_ANSWER_S:.0f} s")
                self._display.dispatch(block=True)
        except RuntimeError as error:
            raise ScreenError("the Wayland compositor is gone, and the screen with it") from error

    def close(self) -> None:
        """End the connection, and whatever was made by it: a button or key that is down goes up."""
        atexit.unregister(self.close)
        self._buffers.clear()
        self._display.disconnect()

    def _note_global(self, _registry: Any, number: int, name: str, version: int) -> None:
        self._globals.setdefault(name, []).append((number, version))

    def _bind(self, interface: type[Interface], known: tuple[int, int], version: int | None) -> Any:
        number, newest = known
        return self._registry.bind(number, interface, min(newest, version or interface.version))

    def _buffer(self, told: tuple[int, ...]) -> tuple[Any, NDArray[np.uint8]]:
        """Memory for captures of one size; kept for the next."""
        format_, width, height, stride = told
        if format_ not in _TO_BGR:
            raise ScreenError(f"the compositor's pictures have the format {format_:#x}, which cannot be read here")
        if told not in self._buffers:
            self._buffers[told] = self.share_picture(format_, width, height, stride)
        return self._buffers[told]


class _SeenOutput:
    """What the compositor tells of an output."""

    def __init__(self, output: Any, places: Any) -> None:
        self.output = output
        self.pixels = self.logical_place = self.logical_size = (0, 0)
        self.is_upright = True
        self._place = places.get_xdg_output(output)
        output.dispatcher["geometry"] = self._note_geometry
        output.dispatcher["mode"] = self._note_mode
        self._place.dispatcher["logical_position"] = self._note_place
        self._place.dispatcher["logical_size"] = self._note_size

    def _note_geometry(self, _output: Any, *told: Any) -> None:
        self.is_upright = told[-1] == 0

    def _note_mode(self, _output: Any, flags: int, width: int, height: int, _refresh: int) -> None:
        if flags & _IS_CURRENT:
            self.pixels = (width, height)

    def _note_place(self, _place: Any, x: int, y: int) -> None:
        self.logical_place = (x, y)

    def _note_size(self, _place: Any, width: int, height: int) -> None:
        self.logical_size = (width, height)


def _noting(told: dict[str, tuple[int, ...]], event: str) -> Callable[..., None]:
    """What notes an event's arguments. It returns nothing: pywayland takes a value for an error of the next call."""

    def note(_proxy: Any, *arguments: int) -> None:
        told[event] = arguments

    return note
