#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Build and run the fuzz targets; see usage below.  The build folder holds objects made by clang with
# -fsanitize=fuzzer-no-link, see `make fuzz`.
set -euo pipefail

usage() {
	cat <<'END'
usage: run.sh BUILD [TARGET...]     all targets when none is named

  FUZZ_SECONDS     how long each target runs (default 60); 0: only the inputs that are there
  FUZZ_JOBS        how many targets are compiled and run at the same time (default 1)
  FUZZ_SEED        what chance begins with (default 1, so that short runs repeat)
  FUZZ_PYTHON      the interpreter whose library the targets embed (that of BUILD by default)

What a target finds lies in BUILD/findings, inputs that reach new code in BUILD/corpus/TARGET.  The status is 1 when
there was a finding.
END
}

[ $# -ge 1 ] && [ "$1" != --help ] || { usage; exit 2; }
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
seconds=${FUZZ_SECONDS:-60}
python=${FUZZ_PYTHON:-$(sed -n 's/^PYTHON = //p' "$build/Makefile")}
live="option loc asm tables decompile cmd rc dap"         # these run at a stop of a program, see live.c
targets=${*:-console keys layout args history usage json record wrapper $live}

variable() { sed -n "s/^$1 = //p" "$build/Makefile"; }
ask() { "$python" -c "import sysconfig as s; print(s.get_config_var('$1') or '')"; }

# Every object of cdbg but those of plugins.
archive() {
	rm -f "$build/fuzz.a"
	(cd "$build" && ar cr fuzz.a $(find src ui -path '*/.libs/*.o'))
}

private() {
	if [ -e "$build/private.a" ]; then
		echo "$build/private.a -lbsd"
	else
		variable LIBEDIT_LIBS
		variable NCURSESW_LIBS
	fi
}

compile() {
	local target=$1 out=$build/fuzz_$1 kind=-fsanitize=fuzzer more=
	[ "$target" != wrapper ] || more="$top/plugins/dynamo/model/wrapper_text.c $top/plugins/dynamo/torch/py_text.c -I$top/plugins/dynamo"
	if [[ " $live " == *" $target "* ]]; then
		kind=
		more="$here/live.c $(clang -print-runtime-dir)/libclang_rt.fuzzer_no_main-x86_64.a -lstdc++"
	fi
	# shellcheck disable=SC2086
	clang -g -O1 -std=c11 -D_GNU_SOURCE -fno-omit-frame-pointer \
		-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined $kind \
		-DFUZZ_PYTHON="\"$python\"" -I"$top/src" -I"$top" -I"$build" -I"$build/src" -I"$here" \
		$(variable PYTHON_CPPFLAGS) $(variable JANSSON_CFLAGS) "$here/$target.c" $more -o "$out" \
		-Wl,--start-group "$build/fuzz.a" $(private) -Wl,--end-group $(variable JANSSON_LIBS) $(variable UTF8PROC_LIBS) \
		-L"$(ask LIBDIR)" -Wl,-rpath,"$(ask LIBDIR)" -l"python$(ask LDVERSION)" -lpthread -ldl -lm
}

# run TARGET: a line of the table
run() {
	local target=$1 corpus=$build/corpus/$1 log=$build/fuzz-$1.log status=0 leaks=1 options= most=4000
	mkdir -p "$corpus" "$build/findings" "$build/empty"
	[[ " $live json " != *" $target "* ]] || leaks=0
	[ "$target" != record ] || most=12000
	[ ! -e "$here/$target.dict" ] || options="-dict=$here/$target.dict"
	[ "$seconds" != 0 ] || options+=" -runs=0"
	# shellcheck disable=SC2086
	(cd "$build/empty" && ASAN_OPTIONS=detect_leaks=$leaks:handle_segv=1 PYTHONMALLOC=malloc \
		"$build/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 \
		-seed="${FUZZ_SEED:-1}" -max_len="$most" -artifact_prefix="$build/findings/$target-" $options "$corpus" "$here/seeds/$target") \
		>"$log" 2>&1 </dev/null || status=$?
	awk -v t="$target" -v status="$status" '
		/number_of_executed_units/ { n = $2 }
		/new_units_added/ { new = $2 }
		{ for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
		END { printf "%-10s %12d executions %8d points %6d new inputs  %s\n", t, n, cov, new,
			status ? "FINDING (status " status ")" : "nothing found" }' "$log"
	[ "$status" = 0 ] || grep -m1 -A25 'ERROR: \|runtime error\|bug at' "$log" || tail -n 25 "$log"
	return "$status"
}

# each FUNCTION: calls it for all targets, FUZZ_JOBS at a time; fails if one fails
each() {
	local target failed=0 running=0
	for target in $targets; do
		if [ "$running" -ge "${FUZZ_JOBS:-1}" ]; then
			wait -n || failed=1
			running=$((running - 1))
		fi
		"$1" "$target" &
		running=$((running + 1))
	done
	while [ "$running" -gt 0 ]; do
		wait -n || failed=1
		running=$((running - 1))
	done
	return "$failed"
}

archive
each compile
each run
