#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Static analysis of all C sources: gcc -fanalyzer and cppcheck; see usage below.
set -euo pipefail

usage() {
	cat <<'END'
usage: analyze.sh BUILD     BUILD is a build folder; its CPython and its generated headers are used

The status is 1 when anything is found, 2 when a tool is missing.  What is said and is not so stands with its reason in tests/cppcheck.supp and
tests/analyzer.supp.  BUILD/analyze/gcc.log has the paths that gcc's analyzer took.
END
}

[ $# -eq 1 ] && [ "$1" != --help ] || { usage; exit 2; }
build=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
variable() { sed -n "s/^$1 = //p" "$build/Makefile"; }
out=$build/analyze
known=${XDG_CACHE_HOME:-$HOME/.cache}/cdbg-cppcheck      # what cppcheck said of files that have not changed since
command -v cppcheck >/dev/null || { echo "analyze.sh: no cppcheck here: install the package cppcheck" >&2; exit 2; }
mkdir -p "$out"

# Of a version's files only those that this CPython takes.
sources() {
	local other
	other=$(ls src/py/version/py3*.c | grep -v "src/py/version/py$(variable PYVER).c")
	[ "$(variable PYHOOK)" = trace ] && other+=" $(ls src/py/hook/*_monitor.c)" || other+=" $(ls src/py/hook/*_trace.c)"
	find src ui plugins -name '*.c' | grep -vxF "$(printf '%s\n' $other)"
}

includes="-Isrc -I. -Iplugins -Iplugins/dynamo -I$build -I$build/src -I$build/plugins/dynamo"

# CPython's macros that hold a return or a brace are named: cppcheck does not read Python.h.
run_cppcheck() {
	# shellcheck disable=SC2046,SC2086
	mkdir -p "$known"
	cppcheck -q -j2 --cppcheck-build-dir="$known" --std=c11 --enable=warning,portability,performance --error-exitcode=1 \
		--suppressions-list=tests/cppcheck.supp --template='{file}:{line}: {id}: {message}' \
		-D_GNU_SOURCE -DPRIVATE_CURSES=1 '-DPy_RETURN_NONE=return NULL' '-DPy_RETURN_TRUE=return NULL' \
		'-DPy_RETURN_FALSE=return NULL' '-DPy_BEGIN_ALLOW_THREADS={' '-DPy_END_ALLOW_THREADS=}' \
		$includes $(sources) 2>&1
}

# A log for each source: several run at once.
run_gcc() {
	rm -rf "$out/gcc"
	mkdir "$out/gcc"
	# shellcheck disable=SC2016
	sources | flags="-std=c11 -O0 -fanalyzer -D_GNU_SOURCE $includes $(variable PYTHON_CPPFLAGS)" logs=$out/gcc \
		xargs -P "$(nproc)" -n 1 sh -c 'name=$logs/$(echo "$1" | tr / _)
			gcc $flags -c "$1" -o "$name.o" >"$name.log" 2>&1 || echo "$1: does not compile" >>"$name.log"' sh
	cat "$out/gcc"/*.log
}

# The findings that tests/analyzer.supp does not name.
unexpected() {
	awk 'FNR == NR { if (!/^#/ && NF == 2) known[$1 " " $2] = 1; next }
		/does not compile/ { print; next }
		/warning: .*\[-Wanalyzer/ {
			split($0, at, ":"); id = $0; sub(/.*\[-W/, "", id); sub(/\].*/, "", id)
			if (!((at[1] " " id) in known)) print
		}' tests/analyzer.supp "$1"
}

run_cppcheck >"$out/cppcheck.txt" || :
run_gcc >"$out/gcc.log"
unexpected "$out/gcc.log" >"$out/gcc.txt"
cat "$out/cppcheck.txt" "$out/gcc.txt"
[ ! -s "$out/cppcheck.txt" ] && [ ! -s "$out/gcc.txt" ] && echo "gcc -fanalyzer and cppcheck find nothing"
