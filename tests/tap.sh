#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What test scripts said: kept in logs, and of those the facts that do not hold, with the lines that say why.
set -euo pipefail

usage() {
	cat <<'END'
usage: tests/tap.sh keep SCRIPT   run it; what it says goes to CDBG_BUILD/tests/NAME.log too.  With CDBG_AGAIN set, run
                                  one that fails a second time, and name it on standard error; NAME.first has why
       tests/tap.sh why LOG...    what does not hold in logs that this or make check wrote, 60 lines a script at most
END
}

keep() {
	local log name=${1##*/} status=0
	log=${CDBG_BUILD:?}/tests/${name%.t}.log
	"$1" >"$log" 2>&1 || status=$?
	if [ "$status" != 0 ] && [ -n "${CDBG_AGAIN:-}" ]; then
		mv "$log" "${log%.log}.first"
		status=0
		"$1" >"$log" 2>&1 || status=$?
		[ "$status" != 0 ] || { printf '%s failed once, then passed; at first:\n' "$name"; why "${log%.log}.first"; } >&2
	fi
	cat "$log"
	[ "$status" = 0 ] || printf 'ERROR: %s ended with status %d\n' "$name" "$status" >>"$log"
	return "$status"
}

# A script that ends badly without a fact of its own that fails is shown by its last lines.
why() {
	awk '
	function say(line) {
		if (!said++)
			print "-- " FILENAME
		if (said <= 60)
			print substr(line, 1, 240)
		else if (said == 61)
			print "..."
	}
	FNR == 1 { said = lines = explains = 0 }
	/^(PASS|SKIP|XFAIL|FAIL): / { next }
	{ explains = (explains && /^#/) || /^(not ok|Bail out!)/ }
	explains || /^XPASS: / { say($0); next }
	/^ERROR: / {
		for (i = said ? lines : lines > 20 ? lines - 20 : 0; i < lines; i++)
			say(last[i % 20])
		say($0)
	}
	{ last[lines++ % 20] = $0 }' "$@"
}

case ${1:-} in
keep) keep "$2" ;;
why) shift; [ $# = 0 ] || why "$@" ;;
*) usage; exit 2 ;;
esac
