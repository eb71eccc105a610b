# SPDX-License-Identifier: BSD-3-Clause
"""pip's way to the same build: configure and make, the result packed as a wheel (PEP 517, PEP 660).

Needs nothing beyond the standard library, so that no network is needed.  A wheel holds what `make install` installs;
an editable one points at the run-in-place package of the build tree build/pip.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# CDBG_BUILD names a folder that is configured already, as ./bootstrap leaves it.
BUILD = os.environ.get("CDBG_BUILD") or os.path.join(TOP, "build", "pip")

# What to look for, and the Debian package that brings it.
PROGRAMS = {"gcc": (("cc", "gcc", "clang"), "gcc"), "make": (("make",), "make"), "pkg-config": (("pkg-config",), "pkg-config")}
AUTOTOOLS = {"autoreconf": (("autoreconf",), "autoconf"), "automake": (("automake",), "automake"),
             "libtoolize": (("libtoolize",), "libtool")}
LIBRARIES = {"jansson": "libjansson-dev", "libedit": "libedit-dev", "libutf8proc": "libutf8proc-dev", "ncursesw": "libncurses-dev"}


def version():
    with open(os.path.join(TOP, "configure.ac")) as f:
        return re.search(r"AC_INIT\(\[cdbg\],\[([^]]+)\]", f.read()).group(1)


def _missing():
    """What must be installed first: (what, Debian package)."""
    programs = dict(PROGRAMS)
    if not os.path.exists(os.path.join(TOP, "configure")):
        programs.update(AUTOTOOLS)
    missing = [(what, package) for what, (names, package) in programs.items() if not any(map(shutil.which, names))]
    if shutil.which("pkg-config"):
        for name, package in LIBRARIES.items():
            if subprocess.run(["pkg-config", "--exists", name]).returncode:
                missing.append((name, package))
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        missing.append(("Python.h", "python%d.%d-dev" % sys.version_info[:2]))
    return missing


def _run(*command, cwd):
    print("cdbg: " + " ".join(command), flush=True)
    subprocess.run(command, cwd=cwd, check=True)


def _make():
    missing = _missing()
    if missing:
        raise SystemExit("cdbg: cannot build, missing: %s\ncdbg: on Debian: apt-get install %s"
                         % (", ".join(what for what, _ in missing), " ".join(package for _, package in missing)))
    if not os.path.exists(os.path.join(TOP, "configure")):
        _run("autoreconf", "-fi", cwd=TOP)
    os.makedirs(BUILD, exist_ok=True)
    stamp = os.path.join(BUILD, "configured-for")
    python = _interpreter()
    if "CDBG_BUILD" not in os.environ and (not os.path.exists(os.path.join(BUILD, "Makefile")) or _read(stamp) != python):
        _run(os.path.join(TOP, "configure"), "PYTHON=" + python, cwd=BUILD)
        with open(stamp, "w") as f:
            f.write(python)
    _run("make", "-j%d" % min(4, os.cpu_count() or 1), "all", cwd=BUILD)


def _interpreter():
    """The one under the virtual environment: pip builds in one of its own, which is gone afterwards."""
    base = os.path.join(sys.base_exec_prefix, "bin", "python%d.%d" % sys.version_info[:2])
    return base if os.path.exists(base) else sys.executable


def _read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return None


def _metadata(licences):
    with open(os.path.join(TOP, "README.md")) as f:
        readme = f.read()
    return ("Metadata-Version: 2.4\nName: cdbg\nVersion: %s\n"
            "Summary: Interactive debugger for frames compiled by torch.compile\nLicense-Expression: %s\n%s"
            "Requires-Python: >=3.11\nDescription-Content-Type: text/markdown\n\n%s"
            % (version(), "BSD-3-Clause AND MIT AND X11-distribute-modifications-variant" if len(licences) > 1 else "BSD-3-Clause",
               "".join("License-File: %s\n" % each for each in licences), readme))


def _tag():
    cp = "cp%d%d" % sys.version_info[:2]
    return "%s-%s-%s" % (cp, cp, re.sub(r"[-.]", "_", sysconfig.get_platform()))


def _dist_info():
    return "cdbg-%s.dist-info" % version()


def write_metadata(folder, tag=None, libraries=None):
    """Writes the folder .dist-info; its name.  libraries: {name: path of the licence} of what is linked into the wheel."""
    info = os.path.join(folder, _dist_info())
    licences = {"COPYING": os.path.join(TOP, "COPYING")}
    licences.update(("%s/%s" % (name, os.path.basename(path)), path) for name, path in (libraries or {}).items())
    for name, path in licences.items():
        to = os.path.join(info, "licenses", name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(path, to)
    with open(os.path.join(info, "METADATA"), "w") as f:
        f.write(_metadata(licences))
    with open(os.path.join(info, "WHEEL"), "w") as f:
        f.write("Wheel-Version: 1.0\nGenerator: cdbg\nRoot-Is-Purelib: false\nTag: %s\n" % (tag or _tag()))
    with open(os.path.join(info, "entry_points.txt"), "w") as f:
        f.write("[console_scripts]\ncdbg = cdbg.command:main\n")
    return os.path.basename(info)


def pack(root, wheel_directory, tag=None):
    """Packs all files under root as a wheel; its name."""
    record = _dist_info() + "/RECORD"
    name = "cdbg-%s-%s.whl" % (version(), tag or _tag())
    rows = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for folder, _, files in sorted(os.walk(root)):
            for each in sorted(files):
                path = os.path.join(folder, each)
                inside = os.path.relpath(path, root)
                with open(path, "rb") as f:
                    data = f.read()
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                rows.append("%s,sha256=%s,%d\n" % (inside, digest, len(data)))
                z.write(path, inside)
        z.writestr(record, "".join(rows) + record + ",,\n")
    return name


def copy_installed(root, build):
    """Copies what make install puts in place, as a wheel lays it out."""
    data = os.path.join(root, "cdbg-%s.data" % version())
    with tempfile.TemporaryDirectory() as stage:
        _run("make", "install", "DESTDIR=" + stage, "prefix=/x", "pythondir=/x/py", "pyexecdir=/x/py", cwd=build)
        shutil.copytree(os.path.join(stage, "x", "py", "cdbg"), os.path.join(root, "cdbg"),
                        ignore=shutil.ignore_patterns("__pycache__", "*.la"))
        shutil.copytree(os.path.join(stage, "x", "include", "cdbg"), os.path.join(data, "headers"))
        shutil.copytree(os.path.join(stage, "x", "share", "man"), os.path.join(data, "data", "share", "man"))


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return write_metadata(metadata_directory)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _make()
    with tempfile.TemporaryDirectory() as root:
        write_metadata(root)
        copy_installed(root, BUILD)
        return pack(root, wheel_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _make()
    with tempfile.TemporaryDirectory() as root:
        write_metadata(root)
        with open(os.path.join(root, "cdbg-editable.pth"), "w") as f:
            f.write(os.path.join(BUILD, "inplace") + "\n")
        for page in ("cdbg.1", "cdbg-commands.7"):
            man = os.path.join(root, "cdbg-%s.data" % version(), "data", "share", "man", "man" + page[-1])
            os.makedirs(man)
            shutil.copy(os.path.join(TOP, "doc", page), man)
        return pack(root, wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """make dist, under the folder name that pip expects."""
    _make()
    _run("make", "dist-gzip", cwd=BUILD)
    name = "cdbg-%s.tar.gz" % version()
    shutil.copy(os.path.join(BUILD, name), os.path.join(sdist_directory, name))
    return name
