"""Reading text off the screen, on this machine: rapidocr with the weights of its own wheel.

Lines are looked for in a picture of half the size and read in the full one. A line that looked
the same before is not read again, so that a screen on which little changed costs little.
"""

from __future__ import annotations

import hashlib
import os
import threading
import zlib
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.protocol.desktop import Box, DesktopError, Frame
from interpreter.protocol.errors import install_command
from interpreter.protocol.values import frozen

if TYPE_CHECKING:
    from numpy import ndarray

EXTRA = f"Reading the screen needs an extra: {install_command('os-ocr')}."
LINES_KEPT = 8_000
SCREENS_KEPT = 16
BATCH = 6
HALF = 0.5
SMALLEST_HALVED = 500  # pixels of the longer side: what is smaller is looked at as it is
UNSURE = 0.5
MARGIN = 2


@frozen
class Line:
    """A line of text on the screen."""

    text: str
    box: Box
    score: float


class ScreenReader:
    """Reads frames. The engine is loaded with the first one."""

    def __init__(self) -> None:
        self._engine: Any = None
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._screens: OrderedDict[tuple[Box, int], tuple[Line, ...]] = OrderedDict()

    def lines(self, frame: Frame) -> tuple[Line, ...]:
        """The lines of text in a frame, from the top."""
        key = (frame.box, zlib.crc32(frame.pixels))
        with self._lock:
            if key not in self._screens:
                self._screens[key] = tuple(self._read(frame))
                while len(self._screens) > SCREENS_KEPT:
                    self._screens.popitem(last=False)
            return self._screens[key]

    def _read(self, frame: Frame) -> list[Line]:
        engine = self._loaded()
        import numpy  # noqa: PLC0415  (an extra)

        pixels = numpy.frombuffer(frame.pixels, numpy.uint8)
        picture = pixels.reshape(frame.height, frame.width, 4)[:, :, :3]
        boxes = _detected(engine, picture)
        crops = [picture[top:bottom, left:right] for left, top, right, bottom in boxes]
        texts = self._recognised(engine, crops)
        x, y = frame.box.width / frame.width, frame.box.height / frame.height
        lines = []
        for (left, top, right, bottom), (text, score) in zip(boxes, texts, strict=True):
            place = Box(
                frame.box.left + int(left * x), frame.box.top + int(top * y),
                max(1, int((right - left) * x)), max(1, int((bottom - top) * y)),
            )  # fmt: skip
            if score >= UNSURE and text.strip():
                lines.append(Line(text.strip(), place, score))
        return lines

    def _recognised(self, engine: Any, crops: list[ndarray]) -> list[tuple[str, float]]:
        from rapidocr.ch_ppocr_rec import TextRecInput  # noqa: PLC0415  (an extra)

        keys = [_digest(crop) for crop in crops]
        new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in self._known}
        # Lines of one batch are padded to the longest, so those of a length go together.
        order = sorted(new, key=lambda key: new[key].shape[1] / new[key].shape[0])
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]

        def read(batch: list[bytes]) -> Any:
            return engine.text_rec(TextRecInput(img=[new[key].copy() for key in batch]))

        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            for batch, done in zip(batches, pool.map(read, batches), strict=True):
                scores = map(float, done.scores)
                self._known.update(zip(batch, zip(done.txts, scores, strict=True), strict=True))
        found = [self._known[key] for key in keys]
        while len(self._known) > LINES_KEPT:
            self._known.popitem(last=False)
        return found

    def _loaded(self) -> Any:
        if self._engine is not None:
            return self._engine
        try:
            import rapidocr  # noqa: PLC0415  (an extra)
            from numpy import full, uint8  # noqa: PLC0415
        except ImportError as error:
            raise DesktopError(f"{EXTRA} ({error.name} is missing.)") from error
        weights = Path(rapidocr.__file__).parent / "models"
        if not (list(weights.glob("*det*.onnx")) and list(weights.glob("*rec*.onnx"))):
            raise DesktopError(
                "This rapidocr has no weights in its package, and nothing is downloaded behind "
                "your back: install rapidocr 3.10 or newer."
            )
        engine = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Det.limit_type": "max",
                "Det.limit_side_len": 4096,
                "Rec.rec_batch_num": BATCH,
                "Rec.rec_img_shape": [3, 48, 96],  # the narrowest; wider lines are not cut
                # Batches run side by side; threads within one would wait for each other, busily.
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "EngineConfig.onnxruntime.enable_cpu_mem_arena": True,
            }
        )
        engine(full((64, 256, 3), 255, uint8), use_cls=False)  # loads both networks
        engine(full((48, 96, 3), 255, uint8), use_det=False, use_cls=False)
        self._engine = engine
        return engine


def _digest(crop: ndarray) -> bytes:
    return b"%d %d " % crop.shape[:2] + hashlib.blake2b(crop.tobytes(), digest_size=16).digest()


def _detected(engine: Any, picture: ndarray) -> list[tuple[int, int, int, int]]:
    """Where lines are, as left, top, right and bottom."""
    import cv2  # noqa: PLC0415  (comes with rapidocr)

    height, width = picture.shape[:2]
    scale = HALF if max(width, height) > SMALLEST_HALVED else 1.0
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found = engine.text_det(small)
    boxes = []
    for corners in found.boxes if found.boxes is not None else ():
        left, top = corners.min(axis=0) / scale - MARGIN
        right, bottom = corners.max(axis=0) / scale + MARGIN
        left, top = max(0, int(left)), max(0, int(top))
        right, bottom = min(width, int(right)), min(height, int(bottom))
        if right - left > 3 and bottom - top > 3:
            boxes.append((left, top, right, bottom))
    return boxes
