"""Small files that claim to be large."""

from __future__ import annotations

import struct
import zlib


def claiming_png(width, height, *, depth=8, colours=2):
    """A PNG file of some 80 bytes whose header claims this size."""
    header = struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def claiming_pictures(width, height):
    """Files of a few bytes that claim this size, by their kind."""
    w16, h16 = min(width, 65_535), min(height, 65_535)
    jpeg = b"\xff\xd8" + b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, h16, w16, 3) + bytes([1, 17, 0, 2, 17, 1, 3, 17, 1])
    jpeg += b"\xff\xda" + struct.pack(">HB", 12, 3) + bytes([1, 0, 2, 17, 3, 17, 0, 63, 0]) + b"\0" * 8 + b"\xff\xd9"
    pixels = (
        b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, *[0] * 6)
    )
    gif = b"GIF89a" + struct.pack("<HHBBB", w16, h16, 0x80, 0, 0) + bytes(6)
    gif += b"," + struct.pack("<HHHHB", 0, 0, w16, h16, 0) + b"\x02\x02\x44\x01\x00;"
    fields = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (278, 4, height)]
    tiff = b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(fields))
    tiff += b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in fields) + bytes(4)
    pnm = f"P6 {width} {height} 255\n".encode()
    return {"png": claiming_png(width, height), "jpg": jpeg, "bmp": pixels, "gif": gif, "tif": tiff, "ppm": pnm}
