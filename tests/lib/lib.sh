# SPDX-License-Identifier: BSD-3-Clause
# TAP for shell scripts: . "${0%/*}/../lib/lib.sh"; ok, is, like, skip, done_testing; cdbg_run.
# One fact a line with a name that reads alone.  Sets $top, $CDBG_BUILD, $CDBG_PYTHON and $tmp, a folder of its own.

top=$(cd "${0%/*}/../.." && pwd)
CDBG_BUILD=${CDBG_BUILD:-$top/build}
if [ -z "${CDBG_PYTHON:-}" ]; then
	CDBG_PYTHON=$(sed -n 's/^PYTHON = //p' "$CDBG_BUILD/Makefile" 2>/dev/null)
fi
export CDBG_BUILD CDBG_PYTHON
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cdbg-test-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
tap_count=0
tap_failed=0

note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# tap STATUS NAME: a name that begins with "... " continues the last that does not, so that each line reads alone
tap() {
	tap_count=$((tap_count + 1))
	case $2 in
	"... "*) tap_whole="$tap_fact $2" ;;
	*) tap_fact=$2 tap_whole=$2 ;;
	esac
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $tap_whole"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $tap_whole"
	fi
	return "$1"
}

# ok NAME COMMAND...: the command succeeds
ok() {
	tap_name=$1
	shift
	if "$@" >"$tmp/tap.out" 2>&1; then
		tap 0 "$tap_name"
	else
		tap 1 "$tap_name"
		note "failed: $*"
		sed 's/^/#   /' "$tmp/tap.out"
	fi
}

# is GOT WANT NAME
is() {
	if [ "$1" = "$2" ]; then
		tap 0 "$3"
	else
		tap 1 "$3"
		note "got:      $1"
		note "expected: $2"
	fi
}

# like TEXT PATTERN NAME: an extended regular expression matches a line of the text
like() {
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		tap 0 "$3"
	else
		tap 1 "$3"
		note "no match for '$2' in:"
		note "$1"
	fi
}

# skip NAME WHY
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# cdbg_run SCRIPT COMMAND...: what the plain front end says, both streams, commands on standard input
cdbg_run() {
	tap_script=$1
	shift
	for tap_line; do
		printf '%s\n' "$tap_line"
	done | HOME=$tmp PYTHONPATH=$CDBG_BUILD/inplace ${CDBG_WRAP:-} "$CDBG_PYTHON" -m cdbg --plain -q "$tap_script" 2>&1
}

done_testing() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
