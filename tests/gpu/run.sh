#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Check cdbg on a machine with a GPU, from a wheel: needs no compiler, no network and no build of cdbg.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
	cat <<'END'
usage: tests/gpu/run.sh [-p PYTHON] [-s SECONDS] WHEEL|FOLDER [CHECK...]

Installs the wheel (of FOLDER: the one for PYTHON) into a temporary folder and runs the checks, or those whose names begin with
CHECK, within SECONDS (480).  Prints a table of ok and not ok, and "N passed, N failed, N skipped" as the last line.
The status is 1 if a check fails, 2 if none can run.

  CDBG_GPU_DEVICE   the device (default: cuda); 'cpu' tries the checks themselves where there is no GPU
END
}

python=python3 seconds=480
while getopts hp:s: option; do
	case $option in
	p) python=$OPTARG ;;
	s) seconds=$OPTARG ;;
	h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { usage >&2; exit 2; }
wheel=$1
shift
if [ -d "$wheel" ]; then
	tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
	wheel=$(find "$wheel" -maxdepth 1 -name "cdbg-*-$tag-*.whl" | head -n 1)
fi
[ -f "$wheel" ] || { echo "run.sh: no wheel for $("$python" -V 2>&1); make one with 'make wheels'" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/inplace"
# A wheel is an archive of the package; pip may be absent.
"$python" -m zipfile -e "$wheel" "$work/inplace"
"$python" - <<'END'
import platform, sys
try:
    import torch
except ImportError:
    sys.exit("run.sh: this Python has no torch")
try:
    from triton import __version__ as triton
except ImportError:
    triton = "none"
print("CPython %s, torch %s, Triton %s, %s, %s" % (platform.python_version(), torch.__version__, triton, platform.machine(),
      torch.cuda.get_device_name(0) if torch.cuda.is_available() else "no GPU"))
END
CDBG_BUILD=$work CDBG_PYTHON=$(command -v "$python") "$python" "$here/checks.py" "$seconds" "$@"
