# SPDX-License-Identifier: BSD-3-Clause
"""Two users on one machine, for tests that run as root: what another user prepares, cdbg of this one must not follow."""
import os
import shutil
import stat
import subprocess
import tempfile
import traceback

from cdbgtest import *
from cdbgtest import environment

OTHER = 65534                                   # nobody's number; a user of that name need not exist
if os.geteuid() != 0:
    skip_all("needs root, to be two users")


def as_other(prepare, *args):
    """Calls it in a process of the other user."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
            prepare(*args)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        raise Trouble("the other user could not prepare the test")


ONE = 65533                                     # a user without root's rights who runs cdbg; may read all, as the interpreter may be root's
AS_ONE = ["setpriv", "--reuid", str(ONE), "--regid", str(ONE), "--clear-groups", "--inh-caps", "-all,+dac_read_search",
           "--ambient-caps", "+dac_read_search"]


def run_as_one(words, env=None):
    """A command of that user's: a CompletedProcess; None: setpriv cannot do this here."""
    if not shutil.which("setpriv") or subprocess.run([*AS_ONE, "true"], capture_output=True).returncode:
        return None
    return subprocess.run([*AS_ONE, *words], env=environment(env), capture_output=True, text=True, timeout=300)


_root = tempfile.TemporaryDirectory(prefix="cdbg-two-users-")
os.chmod(_root.name, 0o755)


def folder(name, mode=0o700, other=False, owner=None):
    """A new folder of one of the two; 0o777: of everybody's, without the sticky bit, so that no setting of the kernel helps."""
    path = os.path.join(_root.name, name)
    os.mkdir(path)
    os.chmod(path, mode)
    if other or owner is not None:
        os.chown(path, OTHER if other else owner, OTHER if other else owner)
    return path


def put(path, text="", mode=0o644):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def text_of(path):
    with open(path) as f:
        return f.read()


def kind(path):
    """What has the name itself: 'link', 'pipe', 'file', 'folder', None."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    return {stat.S_IFLNK: "link", stat.S_IFIFO: "pipe", stat.S_IFREG: "file", stat.S_IFDIR: "folder"}[stat.S_IFMT(mode)]
