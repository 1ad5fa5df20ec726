"""How tests start a real Chromium: as root, without a first run, and with nothing sent anywhere."""

PROGRAM = "chromium"
QUIET = (
    "--no-sandbox",
    "--test-type",  # no bar that says so
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=Translate",
    "--password-store=basic",
)
"""Options for every start."""
