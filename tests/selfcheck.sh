#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# CPython's own test modules with every instruction going through the engine's self-check, and without cdbg: the same
# results, no depth wrong, no slot unreadable.  TAP.
#
#	tests/selfcheck.sh [--few | MODULE...]
. "${0%/*}/lib/lib.sh"

few='test_with test_contextlib test_raise test_yield_from test_generator_stop'
all="$few test_generators test_coroutines test_asyncgen test_patma test_exceptions test_exception_group
	test_except_star test_genexps test_listcomps test_setcomps test_dictcomps test_named_expressions test_unpack
	test_unpack_ex test_closure test_scope test_decorators test_augassign test_iter test_itertools test_functools
	test_grammar test_fstring test_extcall test_keywordonlyarg test_positional_only_arg test_string_literals
	test_super test_descr test_property test_dynamic test_frame test_opcodes test_compare test_contains test_bool
	test_slice test_sort test_tuple test_list test_dict test_set test_enumerate test_range"
case ${1:-} in
--few) modules=$few ;;
'') modules=$all ;;
*) modules=$* ;;
esac

# results FILE: one line a test with its outcome
results() {
	sed -n 's/^\(.*\) \.\.\. \(ok\|FAIL\|ERROR\|skipped.*\|expected failure\|unexpected success\)$/\1: \2/p' "$1" | sort
}

# What no tool of sys.monitoring that sees all instructions leaves as it is: a test that wants its own allocation to be the next one
# of all, and one that wants no signal handled between a __enter__ written in C and its with block.
apart='3.12 test_frame TestIncompleteFrameAreInvisible.test_sneaky_frame_object
3.15 test_with InterruptDuringEnter.test_exit_called_after_interrupt'

# tests MODULE: its words for unittest
tests() {
	# shellcheck disable=SC2086
	"$CDBG_PYTHON" - "$1" $apart <<-'END'
		import sys, unittest
		name, *apart = sys.argv[1:]
		here = "%d.%d" % sys.version_info[:2]
		without = tuple(t for v, m, t in zip(*[iter(apart)] * 3) if (v, m) == (here, name))
		def ids(suite):
		    for t in suite:
		        yield from ids(t) if isinstance(t, unittest.TestSuite) else [t.id()]
		if without:
		    print(*(i for i in ids(unittest.defaultTestLoader.loadTestsFromName("test." + name)) if not i.endswith(without)))
		else:
		    print("test." + name)
	END
}

for m in $modules; do
	if ! "$CDBG_PYTHON" -c "import test.$m" >/dev/null 2>&1; then
		skip "$m" "$CDBG_PYTHON has no test.$m"
		continue
	fi
	words=$(tests "$m")
	# shellcheck disable=SC2086
	"$CDBG_PYTHON" -m unittest -v $words </dev/null >"$tmp/bare" 2>&1
	bare=$?
	# shellcheck disable=SC2086
	HOME=$tmp CDBG_SELFCHECK=1 PYTHONPATH=$CDBG_BUILD/inplace \
		"$CDBG_PYTHON" -m cdbg --plain -q -m unittest -v $words </dev/null >"$tmp/checked" 2>&1
	checked=$?
	results "$tmp/bare" >"$tmp/bare.results"
	results "$tmp/checked" >"$tmp/checked.results"
	n=$(wc -l <"$tmp/bare.results")
	ok "$m: all $n tests end as without cdbg" diff "$tmp/bare.results" "$tmp/checked.results"
	is "$checked" "$bare" "$m: the exit status is that without cdbg" || tail -n 20 "$tmp/checked" | sed 's/^/#   /'
	found=$(grep 'selfcheck: ' "$tmp/checked")
	like "$found" 'selfcheck: [1-9][0-9]* instructions, 0 depths wrong, .* 0 bad' \
		"$m: every instruction has the depth and the slots that analysis gives it"
	like "$found" 'recorded: [1-9][0-9]* values, 0 wrong' "$m: a record has every variable and slot as it was"
	note "$found"
done
done_testing
