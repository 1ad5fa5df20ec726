"""Files of others are read within bounds."""

from __future__ import annotations

import tracemalloc

import cv2
import numpy as np
import pytest
from claiming import claiming_pictures

from skins import SkinError
from skins.files import MOST_PIXELS, load_picture, name_inside, read_file


def test_read_file_reads_what_is_no_larger(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(SkinError, match=r"file: cannot be read \(it has more than 4 bytes\)"):
        read_file(path, 4)


def test_read_file_does_not_trust_a_size(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    status = path.stat()
    monkeypatch.setattr("os.fstat", lambda _: type("Status", (), {"st_mode": status.st_mode, "st_size": 0}))
    with pytest.raises(SkinError, match=r"file: cannot be read \(it has more than 4 bytes\)"):
        read_file(path, 4)


@pytest.mark.parametrize("n_bytes", [0, 1, 300_000])
def test_read_file_takes_no_more_memory_than_the_file_needs(tmp_path, n_bytes):
    path = tmp_path / "file"
    path.write_bytes(bytes(n_bytes))
    tracemalloc.start()
    try:
        content = read_file(path, 2**28)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(content) == n_bytes
    assert most < 2**21


@pytest.mark.parametrize("name", ["sprites.png", "a/b.png", "..png", "a b"])
def test_name_inside_is_the_name(name):
    assert name_inside(name) == name


@pytest.mark.parametrize("kind", claiming_pictures(1, 1))
@pytest.mark.parametrize("size", [(20_000, 20_000), (40_000, 40_000), (8_000, 8_000)])
def test_load_picture_refuses_by_the_header(kind, size, tmp_path, monkeypatch):
    monkeypatch.setattr(cv2, "imdecode", None)  # nothing is decoded
    path = tmp_path / f"large.{kind}"
    path.write_bytes(claiming_pictures(*size)[kind])
    assert path.stat().st_size < 200
    with pytest.raises(SkinError, match=rf"large\.{kind}: expected a picture of at most {MOST_PIXELS:,} pixels, got "):
        load_picture(path)


@pytest.mark.parametrize("kind", ["png", "jpg", "bmp", "gif", "tif", "ppm", "webp"])
def test_load_picture_reads_every_kind(kind, tmp_path):
    pixels = np.full((30, 40, 3), 255, dtype=np.uint8)
    pixels[:16] = 0
    path = tmp_path / f"picture.{kind}"
    path.write_bytes(cv2.imencode(f".{kind}", pixels)[1].tobytes())
    loaded = load_picture(path)
    assert loaded.shape == pixels.shape
    assert abs(loaded.astype(int) - pixels).max() <= 12


@pytest.mark.parametrize("kind", claiming_pictures(1, 1))
@pytest.mark.parametrize("length", [0, 1, 10, 30, 60])
def test_load_picture_shows_nothing_of_a_stump(kind, length, tmp_path):
    path = tmp_path / "stump"
    path.write_bytes(claiming_pictures(3, 3)[kind][:length])
    said = "damaged"
    try:
        loaded = load_picture(path)
    except SkinError as error:  # enough of it is there to tell what it was
        loaded, said = None, str(error)
    assert loaded is None
    assert "damaged" in said


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_load_picture_says_of_a_picture_that_its_file_is_cut_off(share, tmp_path):
    content = cv2.imencode(".png", np.random.default_rng(1).integers(0, 255, (60, 80, 3), dtype=np.uint8))[1].tobytes()
    path = tmp_path / "cut.png"
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(SkinError, match="got a damaged one"):
        load_picture(path)
