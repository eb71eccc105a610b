#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build a wheel for each CPython that is found: Linux, glibc 2.28 or newer, no library needed on the machine that installs it.

    wheels.py OUTPUT [PYTHON...]    put the wheels into the folder OUTPUT; without PYTHON: CPython 3.11 to 3.15 as far as they are there

PyPI's ziglang is the compiler, since it links against the glibc of a given version.  ncurses, libedit, utf8proc
and jansson are built from the sources of this machine's Debian suite and linked statically; CDBG_WHEEL_SOURCES names a folder that has
their archives already.  Everything that is made stays in OUTPUT/work for the next run.
"""
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import backend

GLIBC = "2.28"
MACHINE = platform.machine()
LIBRARIES = {"ncurses": "COPYING", "libedit": "COPYING", "utf8proc": "LICENSE.md", "jansson": "LICENSE"}  # the file that holds the licence
# The full screen opens on these without a database of terminals.
TERMINALS = ["xterm", "xterm-256color", "xterm-kitty", "alacritty", "foot", "xterm-ghostty", "ghostty", "screen",
             "screen-256color", "tmux", "tmux-256color", "linux", "vt100", "dumb"]
# What takes the place of a terminal that the sources of ncurses lack.
LIKE = {"xterm-kitty": "kitty", "xterm-ghostty": "xterm-256color", "ghostty": "xterm-256color"}
EXPORTED = {"_cdbg.so": ["PyInit__cdbg", "attached_pending", "attached_thread"], "plugins/dynamo.so": ["cdbg_plugin"], "plugins/tensor.so": ["cdbg_plugin"]}
MOST_BYTES = 2000000


def fail(text):
    raise SystemExit("wheels.py: " + text)


def run(*command, cwd=None, env=None):
    """Runs a command; its output is shown if it fails."""
    print("wheels.py: " + " ".join(command), flush=True)
    done = subprocess.run(command, cwd=cwd, env=dict(os.environ, **env or {}), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace")
    if done.returncode:
        print("\n".join(done.stdout.splitlines()[-40:]), file=sys.stderr)
        fail("%s failed with status %d" % (command[0], done.returncode))
    return done.stdout


def interpreters(named):
    """{tag: path}: each named interpreter, else the newest of each version that cdbg knows, with its headers."""
    found = {}
    known = [re.sub(r".*py3(\d+)\.c", r"3.\1", f) for f in glob.glob(os.path.join(backend.TOP, "src/py/version/py3*.c"))]
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    tries = named or ([sys.executable] + sorted(glob.glob(os.path.join(root, "versions/3.*/bin/python3")), reverse=True)
                      + ["python" + v for v in known])
    ask = ("import os, sys, sysconfig; print('%d.%d' % sys.version_info[:2], sys.abiflags or '-', "
           "os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')), sys.executable)")
    for python in tries:
        try:
            out = subprocess.run([python, "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        except OSError:
            out = ""
        version, flags, headers, path = (out.split(None, 3) + [None] * 4)[:4]
        good = version in known and flags == "-" and headers == "True"
        if good:
            found.setdefault(version, path.strip())
        elif named:
            fail("'%s' cannot be built for: expected CPython %s with a global interpreter lock and its headers"
                 % (python, ", ".join(sorted(known))))
    return found


def zig(work):
    """The compiler, in a virtual environment of its own."""
    venv = os.path.join(work, "zig")
    if not glob.glob(os.path.join(venv, "lib*/python*/site-packages/ziglang/zig")):
        run(sys.executable, "-m", "venv", "--clear", venv)
        run(os.path.join(venv, "bin/python"), "-m", "pip", "install", "--quiet", "ziglang")
    return glob.glob(os.path.join(venv, "lib*/python*/site-packages/ziglang/zig"))[0]


def compiler(work, prefix):
    """A command that compiles as cc does: configure asks it for static libraries, which zig does not answer."""
    path = os.path.join(work, "cc")
    with open(path, "w") as f:
        f.write("""#!/bin/sh
case $1 in
-print-file-name=*) f=%s/lib/${1#*=}; [ -e "$f" ] && echo "$f" || echo "${1#*=}"; exit ;;
esac
ZIG_GLOBAL_CACHE_DIR=%s ZIG_LOCAL_CACHE_DIR=%s exec %s cc -target %s-linux-gnu.%s "$@"
""" % (prefix, os.path.join(work, "cache"), os.path.join(work, "cache"), zig(work), MACHINE, GLIBC))
    os.chmod(path, 0o755)
    return path


def fetch(work):
    """Brings the archives of the libraries' sources; the folder."""
    given = os.environ.get("CDBG_WHEEL_SOURCES")
    if given:
        return given
    folder = os.path.join(work, "archives")
    if all(glob.glob(os.path.join(folder, name + "_*.orig.tar.gz")) for name in LIBRARIES):
        return folder
    if not shutil.which("apt-get"):
        fail("no apt-get to fetch the sources of %s: put their archives (NAME_VERSION.orig.tar.gz) into a folder "
             "and name it in CDBG_WHEEL_SOURCES" % ", ".join(LIBRARIES))
    parts, lists = os.path.join(work, "apt/parts"), os.path.join(work, "apt/lists")
    for each in (parts, lists + "/partial", folder):
        os.makedirs(each, exist_ok=True)
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        with open(path) as f, open(os.path.join(parts, os.path.basename(path)), "w") as to:
            to.write(re.sub(r"(?m)^Types:.*$", "Types: deb-src", f.read()))
    for path in glob.glob("/etc/apt/sources.list") + glob.glob("/etc/apt/sources.list.d/*.list"):
        with open(path) as f, open(os.path.join(parts, os.path.basename(path).replace("sources.list", "main.list")), "w") as to:
            to.write(re.sub(r"(?m)^deb\s", "deb-src ", f.read()))
    apt = ["apt-get", "-q", "-o", "Acquire::Retries=5", "-o", "APT::Sandbox::User=root", "-o", "Dir::Etc::SourceList=/dev/null",
           "-o", "Dir::Etc::SourceParts=" + parts, "-o", "Dir::State::Lists=" + lists]
    run(*apt, "update")
    run(*apt, "source", "--download-only", *LIBRARIES, cwd=folder)
    return folder


def unpack(work, archives, name):
    """Unpacks the source of a library; its folder."""
    folder = os.path.join(work, "src", name)
    if not os.path.exists(folder):
        with tempfile.TemporaryDirectory(dir=work) as fresh:
            run("tar", "-xf", glob.glob(os.path.join(archives, name + "_*.orig.tar.gz"))[0], "-C", fresh)
            os.makedirs(os.path.dirname(folder), exist_ok=True)
            os.rename(os.path.join(fresh, os.listdir(fresh)[0]), folder)
    return folder


def build_libraries(work):
    """Builds the libraries; (prefix, compiler, licences)."""
    prefix = os.path.join(work, "lib-" + GLIBC)
    cc = compiler(work, prefix)
    archives = fetch(work)
    source = {name: unpack(work, archives, name) for name in LIBRARIES}
    licences = {name: os.path.join(source[name], path) for name, path in LIBRARIES.items()}
    if os.path.exists(os.path.join(prefix, "complete")):
        return prefix, cc, licences
    shutil.rmtree(prefix, ignore_errors=True)
    jobs = "-j%d" % (os.cpu_count() or 1)
    flags = {"CFLAGS": "-O2 -fPIC", "CPPFLAGS": "-I%s/include -I%s/include/ncursesw" % (prefix, prefix), "LDFLAGS": "-L%s/lib" % prefix}
    terminals = os.path.join(source["ncurses"], "misc/terminfo.src")
    with open(terminals, errors="replace") as f:
        text = f.read()
    lacking = [name for name in TERMINALS if not re.search(r"(?m)^(\S+\|)?%s\|" % re.escape(name), text)]
    with open(terminals, "a") as f:
        f.writelines("%s|a terminal like %s,\n\tuse=%s,\n" % (name, LIKE[name], LIKE[name]) for name in lacking)
    build = os.path.join(work, "build-ncurses")
    shutil.rmtree(build, ignore_errors=True)
    os.makedirs(build)
    run(os.path.join(source["ncurses"], "configure"), "CC=" + cc, "BUILD_CC=" + cc, "--prefix=" + prefix, "--enable-widec",
        "--with-termlib=tinfo", "--without-shared", "--with-normal", "--without-debug", "--without-ada", "--without-cxx",
        "--without-cxx-binding", "--without-tests", "--without-manpages", "--without-progs", "--disable-db-install",
        "--with-fallbacks=" + ",".join(TERMINALS), "--with-default-terminfo-dir=/usr/share/terminfo",
        "--with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/share/terminfo", "--enable-pc-files",
        "--with-pkg-config-libdir=" + prefix + "/lib/pkgconfig", cwd=build, env=flags)
    run("make", jobs, cwd=build)
    run("make", "install", cwd=build)
    run("./configure", "CC=" + cc, "--prefix=" + prefix, "--disable-shared", "--enable-static", "--disable-examples",
        cwd=source["libedit"], env=flags)
    run("make", jobs, "-C", "src", cwd=source["libedit"])
    run("make", "-C", "src", "install", cwd=source["libedit"])
    run("make", "install-data-am", cwd=source["libedit"])
    run("make", "CC=" + cc, "AR=ar", "prefix=" + prefix, "libutf8proc.a", "libutf8proc.pc", cwd=source["utf8proc"], env=flags)
    for name, to in (("libutf8proc.a", "lib"), ("libutf8proc.pc", "lib/pkgconfig"), ("utf8proc.h", "include")):
        shutil.copy(os.path.join(source["utf8proc"], name), os.path.join(prefix, to, name))
    run("autoreconf", "-fi", cwd=source["jansson"])     # Debian's archive is that of the repository, without configure
    run("./configure", "CC=" + cc, "--prefix=" + prefix, "--disable-shared", "--enable-static", cwd=source["jansson"], env=flags)
    run("make", jobs, "-C", "src", "install", cwd=source["jansson"])
    run("make", "install-data-am", cwd=source["jansson"])
    with open(os.path.join(prefix, "complete"), "w"):
        return prefix, cc, licences


def build_wheel(python, version, work, output):
    """Configures, builds and packs for one interpreter; the path of the wheel."""
    prefix, cc, licences = build_libraries(work)
    build = os.path.join(work, "py" + version)
    os.makedirs(build, exist_ok=True)
    env = {"PKG_CONFIG_LIBDIR": prefix + "/lib/pkgconfig"}
    if not os.path.exists(os.path.join(build, "Makefile")):
        # Debian's pyconfig.h is found beside the C library's own headers.
        run(os.path.join(backend.TOP, "configure"), "-q", "CC=" + cc, "PYTHON=" + python, "CFLAGS=-O2 -g0 -fno-unroll-loops",
            "CPPFLAGS=-idirafter /usr/include", cwd=build, env=env)
    run("make", "-s", "-j%d" % (os.cpu_count() or 1), "all", cwd=build, env=env)
    tag = "cp3%s-cp3%s-manylinux_%s_%s" % (version[2:], version[2:], GLIBC.replace(".", "_"), MACHINE)
    with tempfile.TemporaryDirectory() as root:
        backend.write_metadata(root, tag, licences)
        backend.copy_installed(root, build)
        for name, symbols in EXPORTED.items():
            path = os.path.join(root, "cdbg", name)
            run("strip", "--strip-unneeded", path)
            check_object(path, symbols)
        wheel = os.path.join(output, backend.pack(root, output, tag))
    if os.path.getsize(wheel) > MOST_BYTES:
        fail("%s has %d bytes, more than %d" % (wheel, os.path.getsize(wheel), MOST_BYTES))
    return wheel


def check_object(path, symbols):
    """Fails unless a shared object exports these symbols alone and needs glibc of at most GLIBC and no other library."""
    exported = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path).splitlines()]
    if sorted(exported) != sorted(symbols):
        fail("%s exports %s; expected %s" % (path, " ".join(exported[:20]), " ".join(symbols)))
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", path))
    foreign = [n for n in needed if not re.match(r"(ld-linux.*|lib(c|m|dl|pthread|rt|util))\.so", n)]
    if foreign:
        fail("%s needs %s: it must be linked statically" % (path, " ".join(foreign)))
    versions = set(re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-V", path)))
    newer = ["%s.%s" % v for v in versions if tuple(map(int, v)) > tuple(map(int, GLIBC.split(".")))]
    if newer:
        fail("%s needs glibc %s" % (path, " ".join(newer)))


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        raise SystemExit(__doc__)
    output = os.path.abspath(arguments[0])
    found = interpreters(arguments[1:])
    if not found:
        fail("no CPython with headers is here")
    for command, package in (("make", "make"), ("pkg-config", "pkg-config"), ("strip", "binutils"), ("tic", "ncurses-bin")):
        if not shutil.which(command):
            fail("no %s: install it (Debian: %s)" % (command, package))
    work = os.path.join(output, "work")
    os.makedirs(work, exist_ok=True)
    if not os.path.exists(os.path.join(backend.TOP, "configure")):
        run("autoreconf", "-fi", cwd=backend.TOP)
    for version, python in sorted(found.items()):
        wheel = build_wheel(python, version, work, output)
        print("%s  %d bytes" % (wheel, os.path.getsize(wheel)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
