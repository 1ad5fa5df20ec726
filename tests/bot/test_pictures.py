"""Picture files: written whole or not at all, and refused before any work is lost."""

from __future__ import annotations

import numpy as np
import pytest

from bot.errors import UsageError
from bot.images import check_can_save, load_frame, load_if_picture, save_png

PIXELS = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)


def test_save_png_writes_what_load_frame_reads(tmp_path):
    path = tmp_path / "Bild ä.png"
    save_png(path, PIXELS)
    assert (load_frame(path).pixels_bgr == PIXELS).all()
    assert list(tmp_path.iterdir()) == [path]


def test_save_png_keeps_the_old_file_when_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "out.png"
    path.write_bytes(b"old")

    def fill_the_disk(self, content):
        with self.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", fill_the_disk)
    with pytest.raises(OSError, match="No space left"):
        save_png(path, PIXELS)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_check_can_save_leaves_nothing_behind(tmp_path):
    path = tmp_path / "out.PNG"
    check_can_save(path)
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"old")
    check_can_save(path)
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("out.jpg", "ends in .png"),
        ("out", "ends in .png"),
        ("no such folder/out.png", "No such file or directory"),
        ("folder.png", "it is a folder"),
        ("source.png", "that is the picture to read"),
        ("file.png/out.png", "Not a directory|No such file"),
        ("a\0b.png", "null"),
        ("x" * 300 + ".png", "too long|No such file|Invalid argument"),
    ],
)
def test_check_can_save_refuses(name, words, tmp_path):
    (tmp_path / "folder.png").mkdir()
    for file in ("source.png", "file.png"):
        (tmp_path / file).write_bytes(b"")
    with pytest.raises(UsageError, match=words):
        check_can_save(tmp_path / name, source=tmp_path / "source.png")


def test_check_can_save_leaves_a_missing_source_to_its_reader(tmp_path):
    path = tmp_path / "out.png"
    path.write_bytes(b"old")
    check_can_save(path, source=tmp_path / "missing.png")
    check_can_save(path, source=tmp_path / "out.png" / "missing.png")
    check_can_save(path, source=tmp_path / "a\0b.png")
    assert path.read_bytes() == b"old"


def test_check_can_save_refuses_a_folder_it_may_not_write(tmp_path, monkeypatch):
    def refuse(_self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.touch", refuse)  # root may write everywhere
    with pytest.raises(UsageError, match="Permission denied"):
        check_can_save(tmp_path / "out.png")


def test_load_if_picture_finds_that_a_text_is_none(tmp_path, screens):
    text = tmp_path / "board.txt"
    text.write_text("###\n")
    assert load_if_picture(text) is None
    (tmp_path / "empty").write_bytes(b"")
    assert load_if_picture(tmp_path / "empty") is None
    assert load_if_picture(screens / "winemine-beginner-fresh.png") is not None
    for path in (tmp_path / "none.png", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(UsageError, match="cannot"):
            load_if_picture(path)
