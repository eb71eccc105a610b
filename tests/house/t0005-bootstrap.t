#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ./bootstrap and configure say what is wrong and what to do, before they touch anything.
. "${0%/*}/../lib/lib.sh"

[ -n "$CDBG_PYTHON" ] || skip_all "no build in $CDBG_BUILD"

# A tree and a machine of our own: the tools are links, so that some can be missing.
mkdir -p "$tmp/tree/src/py/version" "$tmp/bin"
cp "$top/bootstrap" "$tmp/tree/"
cp "$top"/src/py/version/py3*.c "$tmp/tree/src/py/version/"
for each in /bin/* /usr/bin/*; do
	ln -sf "$each" "$tmp/bin/" 2>/dev/null
done
for each in sudo apt-get autoreconf prove pkg-config clang; do
	rm -f "$tmp/bin/$each"
done
printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id.new" && rm -f "$tmp/bin/id" && mv "$tmp/bin/id.new" "$tmp/bin/id" && chmod +x "$tmp/bin/id"

boot() {
	PATH=$tmp/bin PYTHON=$python "$tmp/tree/bootstrap" "$@" </dev/null >"$tmp/out" 2>&1
	status=$?
	out=$(cat "$tmp/out")
}

python=$CDBG_PYTHON
boot
is "$status" 2 "bootstrap without a word is refused"
like "$out" 'bootstrap demo .*step through' "... and says what it can do"
boot frob
is "$status" 2 "an unknown word is refused"

boot check
is "$status" 1 "without the tools it ends"
like "$out" '^  autoconf +makes configure' "it names what is missing and why"
like "$out" '^  perl +runs the tests' "... all of it"
like "$out" 'no apt-get here' "where there is no apt-get it says so"
ok "nothing was made in the tree" test ! -e "$tmp/tree/.venv"

printf '#!/bin/sh\necho called >>%s/apt\n' "$tmp" >"$tmp/bin/apt-get" && chmod +x "$tmp/bin/apt-get"
boot check
is "$status" 1 "without the right to install it ends"
like "$out" 'as root run  apt-get install pkg-config autoconf perl|as root run  apt-get install autoconf .*perl' "it gives the line that root has to type"
ok "it installs nothing" test ! -e "$tmp/apt"

python=$tmp/none
boot demo
like "$out" "'$tmp/none' is no Python that runs" "a PYTHON that does not run is named"
printf '#!/bin/sh\ncase $2 in *version_info*) echo 3.7;; esac\n' >"$tmp/old" && chmod +x "$tmp/old"
python=$tmp/old
boot demo
is "$status" 1 "a CPython that cdbg does not know is refused"
like "$out" "is CPython 3.7; cdbg knows 3.11" "... by its version, with those it knows"

# What tests need of Python's modules, installed by a pip that only tells what it is asked for.
modules() { # modules that are there
	printf '#!/bin/sh\ncase $2 in *import*) case " %s " in *" ${2#import } "*) exit 0;; esac; exit 1;; esac\necho "$@" >>%s\n' "$1" "$tmp/pip" >"$tmp/py"
	chmod +x "$tmp/py"
	rm -f "$tmp/pip"
	(cd "$tmp/tree" && bash -c "$(sed -n '/^provide_test_modules()/,/^}/p' bootstrap)
		say() { echo \"\$*\"; }; step() { shift; \"\$@\"; }
		PYTHON=$tmp/py; provide_test_modules")
}
like "$(modules "debugpy greenlet ipykernel jupyter_client mypy pyte pytest")" "lacks jsonschema selenium: tests that need them" "an interpreter of the user's own gets no module"
ok "... nothing is installed" test ! -e "$tmp/pip"
mkdir -p "$tmp/tree/.venv" && touch "$tmp/tree/.venv/cdbg-torch"
modules "debugpy greenlet ipykernel jupyter_client mypy pyte pytest"
is "$(cat "$tmp/pip")" "-m pip install --progress-bar off jsonschema selenium" "modules that tests lack are installed into .venv"
modules "debugpy greenlet ipykernel jsonschema jupyter_client mypy pyte pytest selenium"
ok "... none when all are there" test ! -e "$tmp/pip"

# configure, with an interpreter that says it is of another version
if [ -x "$top/configure" ]; then
	printf '#!/bin/sh\ncase $* in *%%d%%d*version_info*) echo 399;; *) exec %s "$@";; esac\n' "$CDBG_PYTHON" >"$tmp/new"
	chmod +x "$tmp/new"
	mkdir "$tmp/conf"
	conf=$(cd "$tmp/conf" && "$top/configure" -q PYTHON="$tmp/new" 2>&1)
	is $? 1 "configure refuses a version that has no file"
	like "$conf" 'no src/py/version/py399.c: cdbg cannot debug CPython' "... and names the file"
	printf '#!/bin/sh\ncase $* in *atleast-pkgconfig*) exit 0;; esac\nexit 1\n' >"$tmp/none-such" && chmod +x "$tmp/none-such"
	conf=$(cd "$tmp/conf" && "$top/configure" -q PYTHON="$CDBG_PYTHON" PKG_CONFIG="$tmp/none-such" 2>&1)
	like "$conf" 'no libedit: .*Debian: libedit-dev' "configure names the Debian package of a missing library"
else
	skip "configure refuses a version that has no file" "no configure"
fi
# What check keeps of each script.
mkdir -p "$tmp/kept/tests"
keep() {
	CDBG_BUILD=$tmp/kept CDBG_AGAIN=$again bash "$top/tests/tap.sh" keep "$tmp/$1" >"$tmp/out" 2>"$tmp/err"
	status=$?
	out=$(cat "$tmp/out") err=$(cat "$tmp/err")
}
printf '#!/bin/sh\nif test -e %s/once; then echo "ok 1 - it"; else touch %s/once; echo "not ok 1 - it"; exit 1; fi\n' "$tmp" "$tmp" >"$tmp/once.t"
printf '#!/bin/sh\necho "not ok 1 - never"\nexit 3\n' >"$tmp/never.t"
chmod +x "$tmp/once.t" "$tmp/never.t"
again=
keep once.t
is "$status $out" "1 not ok 1 - it" "a script that fails has failed"
rm "$tmp/once"
again=1
keep once.t
is "$status $out" "0 ok 1 - it" "where it is asked for, it runs once more"
like "$err" 'once.t failed once, then passed' "... it is named"
like "$err" 'not ok 1 - it' "... with the fact that failed"
keep never.t
is "$status $out" "3 not ok 1 - never" "one that fails twice has failed"
done_testing
