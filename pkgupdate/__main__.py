"""`python -m pkgupdate`."""

import sys

from pkgupdate.cli import main

sys.exit(main())
