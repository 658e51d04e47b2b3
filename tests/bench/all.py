"""Every benchmark of this folder, one after the other: ``make bench``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent

if __name__ == "__main__":
    failed = []
    for script in sorted(FOLDER.glob("bench_*.py")):
        print(f"\n== {script.name}", flush=True)
        if subprocess.run([sys.executable, str(script)], cwd=FOLDER, check=False).returncode:
            failed.append(script.name)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
