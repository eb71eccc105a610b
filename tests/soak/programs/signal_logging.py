# SPDX-License-Identifier: BSD-3-Clause
# Handlers that log while the program logs: the same lock, taken again from within.
import logging, os, signal, sys, threading

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(threadName)s %(funcName)s %(message)s", level=logging.DEBUG)
log = logging.getLogger("mine")
count = 0

class Handler(logging.Handler):
    def emit(self, record):
        if record.msg == "outer":
            os.kill(os.getpid(), signal.SIGUSR1)

def on_signal(number, frame):
    global count
    count += 1
    log.warning("signal %d in %s", count, frame.f_code.co_name)

signal.signal(signal.SIGUSR1, on_signal)
log.addHandler(Handler())

def work(n):
    for _ in range(n):
        log.info("outer")

work(3)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.signal(signal.SIGALRM, lambda n, f: log.error("alarm"))
signal.pause()

def only_count(number, frame):
    global count
    count += 1

signal.signal(signal.SIGUSR1, only_count)
t = threading.Thread(target=work, args=(2,), name="second")
t.start()
t.join()
while count < 4:
    pass
print(count > 3)
logging.shutdown()
