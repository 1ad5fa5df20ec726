"""What the platforms on Wayland have alike: outputs in logical units, and windows that a compositor lists."""
