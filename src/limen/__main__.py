"""`python -m limen` is `limen`."""

import sys

from limen.main import main

sys.exit(main())
