"""`python -m calibration` is `minebot-calibrate`."""

import sys

from calibration.cli import main

sys.exit(main())
