"""Runs a program under cdbg and counts what it compiles: a check for a build server."""
import json
import subprocess
import sys

cdbg = subprocess.Popen([sys.executable, "-m", "cdbg", "--json", *sys.argv[1:]],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def send(command):
    cdbg.stdin.write(command + "\n")
    cdbg.stdin.flush()


recompiles = 0
for line in cdbg.stdout:
    answer = json.loads(line)
    event, reason = answer.get("event"), answer.get("reason")
    if event == "stopped" and reason == "start":
        send("catch recompile")
        send("continue")
    elif event == "stopped":
        recompiles += 1
        for entry in answer["detail"]["entries"]:
            for guard in entry["failing"]:
                print("%s: entry %s: %s is %s" % (answer["detail"]["function"], entry["entry"], guard["text"], guard["live"]))
        send("continue")
    elif event == "exited":
        print("recompiles:", recompiles)
        send("quit")
sys.exit(1 if recompiles else cdbg.wait())
