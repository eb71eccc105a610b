# SPDX-License-Identifier: BSD-3-Clause
# Another Python with a huge argument list, bytes that are no text in arguments, names of files and of code, another locale;
# and one that starts without standard streams.
import os, subprocess, sys, tempfile

if len(sys.argv) > 1:
    print(len(sys.argv), ascii(sys.argv[1]), sum(map(len, sys.argv)))
    odd = compile("def f():\n    raise OSError('\\udcff')\n", "na\udcff\nme\x1b[31m.py", "exec")
    space = {}
    exec(odd, space)
    space["f"].__name__ = "\udcfe"
    try:
        space["f"]()
    except OSError as e:
        print(ascii(e.args), ascii(e.__traceback__.tb_next.tb_frame.f_code.co_filename))
    path = os.path.join(tempfile.mkdtemp().encode(), b"mod\xff.py")
    with open(path, "wb") as f:
        f.write(b"x = [i for i in range(3)]\ndef g():\n    return x\n")
    with open(path, "rb") as f:
        exec(compile(f.read(), path, "exec"), space)
    print(space["g"](), ascii(os.path.basename(space["g"].__code__.co_filename)))
    sys.exit(len(sys.argv) & 7)

for env in ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LC_ALL": "POSIX", "PYTHONIOENCODING": "latin-1"}, {}):
    args = [b"\xff\xfe\n", *[b"a" * 100] * 2000]
    p = subprocess.run([sys.executable, __file__, *args], env={**os.environ, **env}, stdout=subprocess.PIPE)
    print(p.returncode, p.stdout.decode("ascii"))
code = "import sys, os; f = open('/dev/null'); os.write(3, repr((f.fileno(), sys.stdin, sys.stdout, sys.stderr)).encode())"
r, w = os.pipe()
pid = os.fork()
if not pid:
    os.dup2(w, 3)
    os.closerange(0, 3)
    os.execv(sys.executable, [sys.executable, "-c", code])
os.close(w)
print(os.read(r, 200), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
sys.stdout.flush()
os.execv(sys.executable, [sys.executable, __file__, *[b"\xe9" * 100] * 3000])
