"""Pictures of outputs by PipeWire [1], and where the pointer is: libpipewire by cffi.

A compositor sends a picture when something was drawn, and where the pointer is whenever it moved. The newest picture
stays in memory that is shared with the compositor, until the next one is there.

[1] PipeWire 0.3, pipewire/stream.h, spa/buffer/meta.h, spa/pod/pod.h.
"""

from __future__ import annotations

import atexit
import math
import struct
import time
from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from cffi import FFI

from bot.errors import ScreenError
from bot.models import Pixel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from bot.models import Region

_LIBRARY = "libpipewire-0.3.so.0"
_FIRST_S = 5.0  # the longest time until the first picture comes, in seconds
_ffi = FFI()
_ffi.cdef("""
struct spa_meta { uint32_t type; uint32_t size; void *data; };
struct spa_meta_cursor { uint32_t id, flags; int32_t x, y, hotspot_x, hotspot_y; uint32_t bitmap_offset; };
struct spa_chunk { uint32_t offset, size; int32_t stride, flags; };
struct spa_data { uint32_t type, flags; int64_t fd; uint32_t mapoffset, maxsize; void *data; struct spa_chunk *chunk; };
struct spa_buffer { uint32_t n_metas, n_datas; struct spa_meta *metas; struct spa_data *datas; };
struct pw_buffer { struct spa_buffer *buffer; };
struct spa_hook { void *pointers[6]; };
struct pw_stream_events {
    uint32_t version;
    void (*destroy)(void *);
    void (*state_changed)(void *, int, int, const char *);
    void (*control_info)(void *, uint32_t, const void *);
    void (*io_changed)(void *, uint32_t, void *, uint32_t);
    void (*param_changed)(void *, uint32_t, const void *);
    void (*add_buffer)(void *, struct pw_buffer *);
    void (*remove_buffer)(void *, struct pw_buffer *);
    void (*process)(void *);
    void (*drained)(void *);
    void (*command)(void *, const void *);
    void (*trigger_done)(void *);
};
void pw_init(int *, char ***);
void *pw_properties_new_string(const char *);
void *pw_thread_loop_new(const char *, const void *);
void *pw_thread_loop_get_loop(void *);
int pw_thread_loop_start(void *);
void pw_thread_loop_stop(void *);
void pw_thread_loop_lock(void *);
void pw_thread_loop_unlock(void *);
void pw_thread_loop_destroy(void *);
void *pw_context_new(void *, void *, size_t);
void *pw_context_connect_fd(void *, int, void *, size_t);
void pw_context_destroy(void *);
void *pw_stream_new(void *, const char *, void *);
void pw_stream_add_listener(void *, struct spa_hook *, const struct pw_stream_events *, void *);
int pw_stream_connect(void *, int, uint32_t, int, const void **, uint32_t);
int pw_stream_update_params(void *, const void **, uint32_t);
struct pw_buffer *pw_stream_dequeue_buffer(void *);
int pw_stream_queue_buffer(void *, struct pw_buffer *);
void pw_stream_destroy(void *);
""")
_EVENTS_VERSION = 2
_INPUT, _AUTOCONNECT_AND_MAP = 0, 1 | 4
_STREAMING = 3  # the state of a stream that sends pictures
_HAS_NO_PICTURE = 1  # the flag of a chunk that only tells of the pointer
_WANTED_FORMAT, _WANTED_BUFFERS, _WANTED_META = (0x40003, 3), (0x40004, 5), (0x40005, 6)
"""Kinds of objects, and the parameters that they are for."""
_FORMAT_AGREED = 4  # the parameter with the format that both sides agreed on
_MEDIA_TYPE, _MEDIA_SUBTYPE, _VIDEO_FORMAT, _VIDEO_SIZE, _VIDEO_RATE = 1, 2, 0x20001, 0x20003, 0x20004
_VIDEO, _RAW = 2, 1
_BUFFERS = 1  # the property that says how many buffers there are
_N_BUFFERS = (8, 3, 16)  # the number that is liked best, the smallest, the largest
_DATA_KINDS = 6  # the property of buffers that says where their data may lie
_META_KIND, _META_SIZE, _CURSOR = 1, 2, 5
_SHARED_MEMORY = 1 << 1 | 1 << 2  # plain memory, and files in memory: not the graphics card's
_TO_BGR = {8: cv2.COLOR_BGRA2BGR, 12: cv2.COLOR_BGRA2BGR, 7: cv2.COLOR_RGBA2BGR, 11: cv2.COLOR_RGBA2BGR}
"""How each of the formats of a picture becomes blue, green, red: BGRx, BGRA, RGBx, RGBA of SPA."""
_LARGEST_PX = 16384  # side of a picture
_CURSOR_PX = (64, 1, 1024)  # side of the pointer's own picture: the usual one, the smallest, the largest
_CURSOR_BYTES = 48  # what is sent of a pointer besides its picture
_RANGE, _ENUM, _FLAGS = 1, 3, 4  # kinds of choices
_ID, _INT, _RECTANGLE, _FRACTION, _OBJECT, _CHOICE = 3, 4, 10, 11, 15, 19  # types of values


class PipeWire:
    """A connection to PipeWire, and the streams that it brings.

    Args:
        file: the number of the open socket; it is closed with the connection.
        nodes: the numbers of the streams' nodes.

    Raises:
        ScreenError: libpipewire is missing, or a stream brings no picture.
    """

    def __init__(self, file: int, nodes: Sequence[int]) -> None:
        try:
            self._library: Any = _ffi.dlopen(_LIBRARY)
        except OSError as error:
            raise ScreenError(
                "libpipewire is missing, by which this desktop shows its screen\n"
                "Debian, Ubuntu: sudo apt-get install libpipewire-0.3-0"
            ) from error
        library = self._library
        library.pw_init(_ffi.NULL, _ffi.NULL)
        self._loop = library.pw_thread_loop_new(b"minebot", _ffi.NULL)
        self._context = library.pw_context_new(library.pw_thread_loop_get_loop(self._loop), _ffi.NULL, 0)
        library.pw_thread_loop_start(self._loop)
        library.pw_thread_loop_lock(self._loop)
        try:
            core = library.pw_context_connect_fd(self._context, file, _ffi.NULL, 0)
            if core == _ffi.NULL:
                raise ScreenError("PipeWire cannot be reached, by which this desktop shows its screen")
            self.streams = [Stream(library, core, node) for node in nodes]
        finally:
            library.pw_thread_loop_unlock(self._loop)
        atexit.register(self.close)  # PipeWire's thread must not outlive Python
        for stream in self.streams:
            stream.wait_for_picture()

    def close(self) -> None:
        """End the streams and the connection."""
        atexit.unregister(self.close)
        self._library.pw_thread_loop_stop(self._loop)
        for stream in self.streams:
            stream.close()
        self._library.pw_context_destroy(self._context)
        self._library.pw_thread_loop_destroy(self._loop)


class Stream:
    """The newest picture of one output. PipeWire's thread brings it, any other may take it.

    Attributes:
        node: the number of its node.
        size: width and height of its pictures, in pixels.
        n_pictures: how many came so far.
        came_s: when the newest came.
    """

    def __init__(self, library: Any, core: Any, node: int) -> None:
        self.node = node
        self.size = (0, 0)
        self.n_pictures = 0
        self.came_s = -math.inf
        self._library = library
        self._changed = Condition()
        self._ended = ""
        """Why no more pictures come."""
        self._format = 0
        self._held: Any = None
        """The buffer with the newest picture; the compositor gets it back for the next but one."""
        self._pointer: Pixel | None = None
        self._callbacks = (
            _ffi.callback("void(void *, int, int, const char *)", self._note_state),
            _ffi.callback("void(void *, uint32_t, const void *)", self._note_format),
            _ffi.callback("void(void *, struct pw_buffer *)", self._forget_buffer),
            _ffi.callback("void(void *)", self._take_buffers),
        )
        self._events = _ffi.new("struct pw_stream_events *", {"version": _EVENTS_VERSION})
        names = ("state_changed", "param_changed", "remove_buffer", "process")
        for name, callback in zip(names, self._callbacks, strict=True):
            setattr(self._events, name, callback)
        self._hook = _ffi.new("struct spa_hook *")
        self._stream = library.pw_stream_new(
            core, b"minebot", library.pw_properties_new_string(b"node.dont-reconnect=true")
        )
        library.pw_stream_add_listener(self._stream, self._hook, self._events, _ffi.NULL)
        with _pods(_wanted_format()) as pods:
            library.pw_stream_connect(self._stream, _INPUT, node, _AUTOCONNECT_AND_MAP, pods, len(pods))

    def wait_for_picture(self) -> None:
        """Wait for the first picture.

        Raises:
            ScreenError: none comes.
        """
        self.wait_until(lambda: self._held is not None, _FIRST_S)
        with self._changed:
            self._raise_if_ended()
            if self._held is None:
                raise ScreenError(f"the desktop sent no picture of its screen within {_FIRST_S:.0f} s")

    def wait_until(self, is_so: Callable[[], bool], longest_s: float) -> None:
        """Wait until a picture makes something so, until pictures end, or for `longest_s` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: is_so() or self._ended, longest_s)

    def pointer(self) -> Pixel | None:
        """Where the pointer is in the picture; None where it is not in it, or does not show."""
        return self._pointer

    def crop(self, part: Region) -> NDArray[np.uint8]:
        """A part of the newest picture: uint8, height x width x 3, blue, green, red.

        Raises:
            ScreenError: no more pictures come.
        """
        with self._changed:
            self._raise_if_ended()
            data = self._held.buffer.datas[0]
            chunk, (width, height) = data.chunk, self.size
            memory = _ffi.buffer(_ffi.cast("char *", data.data) + chunk.offset, chunk.stride * height)
            pixels = np.frombuffer(memory, np.uint8).reshape(height, chunk.stride // 4, 4)[:, :width]
            shown = pixels[part.top : part.bottom, part.left : part.right]
            return np.asarray(cv2.cvtColor(shown, _TO_BGR[self._format]), dtype=np.uint8)

    def close(self) -> None:
        """End it; PipeWire's thread has ended."""
        self._held = None
        self._library.pw_stream_destroy(self._stream)

    def _raise_if_ended(self) -> None:
        if self._ended:
            raise ScreenError(f"the desktop shows its screen no more: {self._ended}\nstart it again")

    def _note_state(self, _data: Any, before: int, now: int, error: Any) -> None:
        with self._changed:
            if error != _ffi.NULL:
                self._ended = _ffi.string(error).decode()
            elif before == _STREAMING:
                self._ended = "it was ended there"
            self._changed.notify_all()

    def _note_format(self, _data: Any, parameter: int, pod: Any) -> None:
        """Take the format that both sides agreed on, and say what is needed of buffers."""
        if parameter != _FORMAT_AGREED or pod == _ffi.NULL:
            return
        told = _fields_in(bytes(_ffi.buffer(pod, 8 + _ffi.cast("uint32_t *", pod)[0])))
        with self._changed:
            size = struct.unpack("<II", told[_VIDEO_SIZE])
            if self.size not in ((0, 0), size):
                self._ended = f"its size changed from {self.size} to {size}"
            self.size = size
            (self._format,) = struct.unpack_from("<I", told[_VIDEO_FORMAT])
        with _pods(_wanted_buffers(), _wanted_pointer()) as pods:
            self._library.pw_stream_update_params(self._stream, pods, len(pods))

    def _forget_buffer(self, _data: Any, buffer: Any) -> None:
        with self._changed:
            if self._held == buffer:
                self._held = None
                self._ended = self._ended or "it took its memory back"

    def _take_buffers(self, _data: Any) -> None:
        """Keep the newest picture, and give all other buffers back."""
        with self._changed:
            while (buffer := self._library.pw_stream_dequeue_buffer(self._stream)) != _ffi.NULL:
                self._note_pointer(buffer.buffer)
                data = buffer.buffer.datas[0]
                if data.chunk.size and not data.chunk.flags & _HAS_NO_PICTURE and data.data != _ffi.NULL:
                    buffer, self._held = self._held, buffer
                    self.n_pictures += 1
                    self.came_s = time.perf_counter()
                if buffer is not None:
                    self._library.pw_stream_queue_buffer(self._stream, buffer)
            self._changed.notify_all()

    def _note_pointer(self, buffer: Any) -> None:
        for meta in buffer.metas[0 : buffer.n_metas]:
            if meta.type == _CURSOR:
                cursor = _ffi.cast("struct spa_meta_cursor *", meta.data)
                self._pointer = Pixel(cursor.x, cursor.y) if cursor.id else None


def _pod(kind: int, body: bytes) -> bytes:
    """A value as SPA writes it."""
    return _uints(len(body), kind) + body + bytes(-len(body) % 8)


def _uints(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def _choice(how: int, kind: int, *values: bytes) -> bytes:
    """Values to choose from; the first is the one that is liked best."""
    return _pod(_CHOICE, _uints(how, 0, len(values[0]), kind) + b"".join(values))


def _object(kind: tuple[int, int], properties: Mapping[int, bytes]) -> bytes:
    return _pod(_OBJECT, _uints(*kind) + b"".join(_uints(key, 0) + value for key, value in properties.items()))


def _wanted_format() -> bytes:
    """Pictures of any size, whenever something was drawn."""
    formats = [_uints(one) for one in (next(iter(_TO_BGR)), *_TO_BGR)]
    sizes = [_uints(1280, 800), _uints(1, 1), _uints(_LARGEST_PX, _LARGEST_PX)]
    rates = [_uints(0, 1), _uints(0, 1), _uints(1000, 1)]
    return _object(
        _WANTED_FORMAT,
        {
            _MEDIA_TYPE: _pod(_ID, _uints(_VIDEO)),
            _MEDIA_SUBTYPE: _pod(_ID, _uints(_RAW)),
            _VIDEO_FORMAT: _choice(_ENUM, _ID, *formats),
            _VIDEO_SIZE: _choice(_RANGE, _RECTANGLE, *sizes),
            _VIDEO_RATE: _choice(_RANGE, _FRACTION, *rates),
        },
    )


def _wanted_buffers() -> bytes:
    """Buffers in memory that this process can read."""
    numbers = map(_uints, _N_BUFFERS)
    return _object(
        _WANTED_BUFFERS,
        {
            _BUFFERS: _choice(_RANGE, _INT, *numbers),
            _DATA_KINDS: _choice(_FLAGS, _INT, _uints(_SHARED_MEMORY)),
        },
    )


def _wanted_pointer() -> bytes:
    """Where the pointer is, beside each picture."""
    sizes = [_uints(_CURSOR_BYTES + 4 * side * side) for side in _CURSOR_PX]
    return _object(_WANTED_META, {_META_KIND: _pod(_ID, _uints(_CURSOR)), _META_SIZE: _choice(_RANGE, _INT, *sizes)})


def _fields_in(pod: bytes) -> dict[int, bytes]:
    """The values in an object, by their keys; of a choice, the one that is chosen."""
    found = {}
    at = 16
    while at < len(pod):
        key, _, size, kind = struct.unpack_from("<IIII", pod, at)
        value = pod[at + 16 : at + 16 + size]
        if kind == _CHOICE:
            (size_of_one,) = struct.unpack_from("<I", value, 8)
            value = value[16 : 16 + size_of_one]
        found[key] = value
        at += 16 + size + -size % 8
    return found


@contextmanager
def _pods(*pods: bytes) -> Iterator[Any]:
    """While the block runs, these as libpipewire takes them."""
    kept = [_ffi.new("uint64_t[]", len(pod) // 8) for pod in pods]
    for memory, pod in zip(kept, pods, strict=True):
        _ffi.memmove(memory, pod, len(pod))
    yield _ffi.new("const void *[]", kept)
