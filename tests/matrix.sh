#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Build, tests, acceptance checks and bench on several interpreters, and a table of what came of each.
set -euo pipefail

usage() {
	cat <<'END'
usage: tests/matrix.sh [CELL...]

A cell is an interpreter to build for. MATRIX names a file with one cell a line:

	NAME PYTHON [COMMAND...]

COMMAND runs its arguments where PYTHON is, a chroot for one; this folder and the build folder must have the same path
there, and the environment is handed over in the arguments. Without MATRIX the cells are the CPythons that cdbg knows,
as PATH and pyenv have them: py311, py312 and so on. CELL... takes some of the cells only.

  MATRIX_DIR    where builds and results go, a folder a cell (default: matrix)
  MATRIX_TESTS  beginnings of the names of the tests that are run (default: "t1 t2"; none: "")
  ACCEPT_DIR    a folder of acceptance checks: check_*.py, and facts.py, which records what they compare with
  MATRIX_CHECKS the checks that are run (default: all)
  MATRIX_BENCH  words for bench.py, "--batches 20 call" for one; none: no bench
  CDBG_CONFIGURE, CDBG_PATIENCE, MAKEFLAGS are handed to every cell
END
}

self=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/${BASH_SOURCE[0]##*/}
top=${self%/tests/*}
dir=${MATRIX_DIR:-matrix}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
: "${MATRIX_TESTS=t1 t2}"
passed=(MATRIX_DIR MATRIX_TESTS MATRIX_CHECKS MATRIX_BENCH CDBG_CONFIGURE CDBG_PATIENCE MAKEFLAGS)

# ---- in a cell: MATRIX_DIR/NAME/result gets a line a figure ----

say() { printf '%s: %s (%d s)\n' "$name" "$*" "$SECONDS"; }
note() { printf '%s %s\n' "$1" "$2" >>"$here/result"; }

build() {
	cd "$here"
	if ! grep -qxF "PYTHON = $python" Makefile 2>/dev/null; then
		# shellcheck disable=SC2086
		"$top/configure" -q "PYTHON=$python" ${CDBG_CONFIGURE:-}
	fi
	make -s all && make -s check TESTS=
}

# The tests whose names begin with one of MATRIX_TESTS.
scripts() {
	local prefix t
	for prefix in $MATRIX_TESTS; do
		for t in "$top/tests/"*"/$prefix"*.t; do
			[ ! -e "$t" ] || printf '%s ' "${t#"$top/"}"
		done
	done
}

why() { "$top/tests/tap.sh" why $(ls tests/*/t[0-9]*.log 2>/dev/null) | sed "s/^/$name: /"; }

run_tests() {
	local chosen
	cd "$here"
	rm -f tests/*/t[0-9]*.trs tests/*/t[0-9]*.log
	chosen=$(scripts)
	[ -n "$chosen" ] || return 0
	make -k check "TESTS=$chosen" >tests.log 2>&1 || :
	# That a script ends with an error says nothing more where facts of its own failed.
	note tests "$(find tests -name '*.trs' -exec awk '
		FNR == 1 { here = 0 }
		/^:test-result: PASS/ { ok++ }
		/^:test-result: SKIP/ { skipped++ }
		/^:test-result: (FAIL|XPASS)/ { here++; failed++ }
		/^:test-result: ERROR/ && !here { failed++ }
		END { printf "%d/%d/%d", ok, failed, skipped }' {} +)"
	grep -E '^(FAIL|ERROR|XPASS): ' tests.log | sort -u >failed.txt || :
	sed "s/^/$name: /" failed.txt
	why
}

run_checks() {
	local check last known=$here/known held=0 all=0 tag
	[ -d "$dir/accept" ] && "$python" -c 'import torch' 2>/dev/null || return 0
	export ACCEPT_FACTS=$known CDBG_PYTHON=$python PYTHONPATH=$here/inplace
	tag=$(cat "$here/version"; cat "$dir"/accept/facts.py "$dir"/accept/programs/*.py | cksum)
	if [ "$(cat "$here/recorded" 2>/dev/null)" != "$tag" ]; then
		say "recording what the checks compare with"
		rm -rf "$known"
		mkdir "$known"
		"$python" "$dir/accept/facts.py" >"$here/record.log" 2>&1 || :
		if grep ' FAILED ' "$here/record.log" | cut -c 1-200 | sed "s/^/$name: not recorded: /" | grep .; then
			rm -f "$here/recorded"
		else
			printf '%s' "$tag" >"$here/recorded"
		fi
	fi
	: >"$here/accept.log"
	for check in ${MATRIX_CHECKS:-$(cd "$dir/accept" && ls check_*.py)}; do
		check=${check%.py}
		say "$check"
		"$python" "$dir/accept/$check.py" >"$here/$check.log" 2>&1 || :
		last=$(tail -n 1 "$here/$check.log")
		printf '%s %s\n' "$check" "$last" >>"$here/accept.log"
		if [[ $last =~ ^([0-9]+)\ of\ ([0-9]+)$ ]]; then
			held=$((held + BASH_REMATCH[1])) all=$((all + BASH_REMATCH[2]))
		else
			all=$((all + 1))
		fi
		grep -v '^ok ' "$here/$check.log" | cut -c 1-300 | sed "s/^/$name: $check: /" || :
	done
	note accept "$held/$all"
}

run_bench() {
	[ -n "${MATRIX_BENCH:-}" ] && "$python" -c 'import torch' 2>/dev/null || return 0
	say "bench"
	cd "$here"
	# shellcheck disable=SC2086
	CDBG_BUILD=$here CDBG_PYTHON=$python "$python" "$top/bench/bench.py" $MATRIX_BENCH >bench.log 2>&1 || :
	sed "s/^/$name: /" bench.log
	note bench "$(sed -n 's/^\([0-9]*\) of \([0-9]*\) hold.*/\1\/\2/p' bench.log)"
}

cell() {
	name=$1 python=$2 here=$dir/$1
	mkdir -p "$here"
	: >"$here/result"
	"$python" - >"$here/version" <<-'END'
		import sys
		print("python %d.%d.%d" % sys.version_info[:3])
		try:
		    import torch
		    print("torch", torch.__version__)
		except ImportError:
		    pass
	END
	cat "$here/version" >>"$here/result"
	say "build"
	if (set -e; build) >"$here/build.log" 2>&1; then
		note build ok
		say "tests"
		(run_tests)
		(run_checks)
		(run_bench)
	else
		note build failed
		tail -n 20 "$here/build.log"
	fi
	note seconds "$SECONDS"
}

# ---- all cells ----

known() { ls "$top"/src/py/version/py3*.c | sed 's|.*/py3\(.*\)\.c|\1|'; }

found() {
	local minor p
	for minor in $(known); do
		for p in "python3.$minor" "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3."$minor".*/bin/python3; do
			if "$p" -c 'import sys; sys.exit(sys.version_info[:2] != (3, int(sys.argv[1])))' "$minor" 2>/dev/null; then
				printf 'py3%s %s\n' "$minor" "$(command -v "$p")"
				break
			fi
		done
	done
}

cells() {
	if [ -n "${MATRIX:-}" ]; then
		sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$MATRIX"
	else
		found
	fi
}

figure() { sed -n "s/^$2 //p" "$dir/$1/result" 2>/dev/null | tail -n 1; }

table() {
	local n
	printf '\n%-12s %-8s %-14s %-7s %-18s %-12s %-7s %s\n' cell CPython torch build 'ok/failed/skipped' acceptance bench seconds
	for n in "$@"; do
		printf '%-12s %-8s %-14s %-7s %-18s %-12s %-7s %s\n' "$n" "$(figure "$n" python)" "$(figure "$n" torch | sed 's/^$/-/')" \
			"$(figure "$n" build)" "$(figure "$n" tests)" "$(figure "$n" accept)" "$(figure "$n" bench)" "$(figure "$n" seconds)"
	done
}

# It was run to its end, and all of it holds.
holds() {
	local figures=$dir/$1/result
	grep -qx 'build ok' "$figures" && grep -q '^seconds ' "$figures" && ! grep -qE '^tests [0-9]+/[1-9]' "$figures" &&
		awk '/^(accept|bench) / { split($2, n, "/"); bad += n[1] != n[2] || n[2] == 0 } END { exit bad != 0 }' "$figures"
}

all() {
	local line n python status=0 v
	local -a names=() command=() given=()
	[ -x "$top/configure" ] || { echo "matrix.sh: no configure: run autoreconf -fi" >&2; exit 2; }
	if [ -n "${ACCEPT_DIR:-}" ]; then
		rm -rf "$dir/accept"
		mkdir "$dir/accept"
		cp -R "$ACCEPT_DIR"/*.py "$ACCEPT_DIR/programs" "$dir/accept/"
		chmod -R u+w "$dir/accept"
	else
		rm -rf "$dir/accept"
	fi
	MATRIX_DIR=$dir
	for v in "${passed[@]}"; do
		[ -z "${!v+x}" ] || given+=("$v=${!v}")
	done
	while read -r n python line; do
		[ $# -eq 0 ] || [[ " $* " == *" $n "* ]] || continue
		names+=("$n")
		read -ra command <<<"$line"
		rm -f "$dir/$n/result"
		"${command[@]}" env "${given[@]}" bash "$self" --cell "$n" "$python" </dev/null || :
		[ -e "$dir/$n/result" ] && holds "$n" || status=1
	done < <(cells)
	[ ${#names[@]} -gt 0 ] || { echo "matrix.sh: no such cell" >&2; exit 2; }
	table "${names[@]}"
	exit $status
}

case ${1:-} in
--cell) cell "$2" "$3" ;;
-h | --help) usage ;;
*) all "$@" ;;
esac
