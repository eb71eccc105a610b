# SPDX-License-Identifier: BSD-3-Clause
# Masks, pending signals, sigwait, siginterrupt, a wakeup descriptor.
import os, signal

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigpending() == {signal.SIGUSR1})
print(signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1)
print(sorted(int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, [])) == [int(signal.SIGUSR1)])
r, w = os.pipe()
os.set_blocking(w, False)
old = signal.set_wakeup_fd(w)
signal.signal(signal.SIGUSR2, lambda n, f: None)
os.kill(os.getpid(), signal.SIGUSR2)
print(old, os.read(r, 10) == bytes([signal.SIGUSR2]))
