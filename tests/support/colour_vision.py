"""How the colour-blind see colours, and how far two colours are apart.

[1] G. M. Machado, M. M. Oliveira, L. A. F. Fernandes: A Physiologically-based Model for Simulation of Color Vision
    Deficiency. IEEE Transactions on Visualization and Computer Graphics 15 (2009), table 1: severity 1.0, linear RGB.
[2] CIE 15:2004, Colorimetry: L*a*b* of sRGB under D65, and the difference of two colours (1976).
"""

from __future__ import annotations

import cv2
import numpy as np

VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""What becomes of linear red, green and blue [1]."""


def seen(pixels_bgr, vision):
    """Pixels (uint8, ... x 3, B, G, R) as one of `VISIONS` sees them: uint8, the same shape."""
    srgb = np.asarray(pixels_bgr, dtype=np.float64)[..., ::-1] / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ VISIONS[vision].T, 0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.round(255 * srgb[..., ::-1]).astype(np.uint8)


def lab(colour_bgr, vision="normal"):
    """L*, a* and b* of a colour as it is seen [2]."""
    pixel = seen(np.array(colour_bgr).reshape(1, 1, 3), vision).astype(np.float32) / 255
    return cv2.cvtColor(pixel, cv2.COLOR_BGR2Lab)[0, 0].astype(np.float64)


def apart(one_bgr, other_bgr, vision):
    """How far two colours are apart as they are seen: 2 is just noticed, 100 is black from white [2]."""
    return float(np.linalg.norm(lab(one_bgr, vision) - lab(other_bgr, vision)))
