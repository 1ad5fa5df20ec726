"""`python -m bot` is `minebot`."""

import sys

from bot.cli import main

sys.exit(main())
