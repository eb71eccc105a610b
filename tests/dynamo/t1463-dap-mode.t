#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Emacs with dap-mode as Debian has it drives --dap: from a breakpoint at a graph break by instructions into the resume function."""
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import PATIENCE, argv, environment, top  # noqa: E402

need_torch()
emacs = shutil.which("emacs")
if not emacs or subprocess.run([emacs, "--batch", "-q", "--eval", "(progn (package-initialize) (require 'dap-mode))"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
    skip_all("needs emacs-nox and elpa-dap-mode")

toy = os.path.join(top, "doc", "examples", "toy.py")
DRIVER = r"""
(package-initialize)
(setq dap-auto-configure-mode nil dap-auto-configure-features nil dap-auto-show-output nil dap-ui-mode nil
      kill-buffer-query-functions nil confirm-kill-processes nil lsp-enable-file-watchers nil)
(require 'dap-mode)
(defvar dap-exception-breakpoints nil)
(defvar seconds (string-to-number (getenv "LIMIT")))
(defun say (&rest words) (princ (concat (apply #'format words) "\n")))
(defun until (what holds)
  (with-timeout (seconds (say "TIMEOUT: %s" what) (kill-emacs 3))
    (while (not (funcall holds)) (accept-process-output nil 0.02))))
(defvar stops 0)
(add-hook 'dap-stack-frame-changed-hook (lambda (_) (setq stops (1+ stops))))
(defun session () (dap--cur-session))
(defun frame () (dap--debug-session-active-frame (session)))
(defun ask (command arguments)
  (let (answer)
    (dap--send-message (dap--make-request command arguments) (lambda (m) (setq answer m)) (session))
    (until command (lambda () answer))
    (gethash "body" answer)))
(defun place (what)
  (say "%s: %s | line %s | %s" what (gethash "name" (frame)) (gethash "line" (frame)) (gethash "instructionPointerReference" (frame))))
(defun after-stop (act)
  (let ((before stops)) (funcall act) (until "a stop" (lambda () (> stops before)))))
(defun step (command granularity)
  (after-stop (lambda ()
    (let ((thread (dap--debug-session-thread-id (session))))
      (dap--send-message (dap--make-request command (list :threadId thread :granularity granularity)) (dap--resp-handler) (session))
      (dap--resume-application (session))))))
(defun next-instruction ()
  (let* ((at (gethash "instructionPointerReference" (frame)))
         (body (ask "disassemble" (list :memoryReference at :instructionOffset 0 :instructionCount 1))))
    (gethash "instruction" (elt (gethash "instructions" body) 0))))

(dap-register-debug-provider "cdbg"
  (lambda (conf) (plist-put conf :dap-server-path (split-string (getenv "ADAPTER"))) conf))
(find-file (getenv "TOY"))
(goto-char (point-min))
(search-forward "if b.sum()")
(dap-breakpoint-add)
(after-stop (lambda ()
  (dap-debug (list :type "cdbg" :request "launch" :name "toy" :program (getenv "TOY") :cwd (getenv "FOLDER")))))
(place "stopped")
(let ((most 300))
  (while (and (> (setq most (1- most)) 0) (string-match-p "generated 0/0" (gethash "name" (frame))))
    (say "runs: %s" (next-instruction))
    (step "stepIn" "instruction")
    (place "step")))
(say "value: %s" (gethash "result" (ask "evaluate" (list :expression "b.shape" :frameId (gethash "id" (frame)) :context "repl"))))
(say "command: %s" (gethash "result" (ask "evaluate" (list :expression "info breakpoints" :frameId (gethash "id" (frame)) :context "repl"))))
(after-stop (lambda () (dap-continue (session) (dap--debug-session-thread-id (session)))))
(place "again")
(dap-disconnect (session))
(until "the end" (lambda () (not (dap--session-running (session)))))
(say "quit ok")
(kill-emacs 0)
"""
driver = script(DRIVER, "drive.el")


env = environment({"TOY": toy, "FOLDER": os.path.dirname(driver), "ADAPTER": " ".join(argv("-m", "cdbg", "--dap")), "LIMIT": str(60 * PATIENCE),
                   "HOME": os.path.dirname(driver)})
ran = subprocess.run([emacs, "--batch", "-q", "-l", driver], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                     timeout=300 * PATIENCE)
out = ran.stdout.decode("utf-8", "replace")
is_(ran.returncode, 0, "Emacs ends") or note(out)
line = line_of(toy, "if b.sum()")
places = re.findall(r"^(stopped|step|again): (.+) \| line (\w+) \| 0x(\w+)$", out, re.M)
is_(places[:1] and places[0][:3], ("stopped", "toy_example [generated 0/0, break]", str(line)), "the breakpoint stops in generated code, on its line")
inside = [int(at, 16) for what, name, _, at in places if what != "again" and "generated 0/0" in name]
ok(len(inside) > 5 and inside == sorted(set(inside)), "each step is an instruction further", inside)
steps = [p for p in places if p[0] == "step"]
like(steps[-1][1], r"resume", "the last one enters the resume function")
ran_last = re.findall(r"^runs: (\S+)", out, re.M)
like(ran_last[-1], r"^CALL|^PRECALL", "by its call, as the disassembly says")
ok("POP_JUMP" in ran_last[0], "the first one was the jump of the break", ran_last[0])
like(out, r"^value: torch\.Size\(\[10\]\)", "evaluate gives a value")
like(out, r"^command: Num  Type [^|]*toy\.py:%d \(toy_example" % line, "or runs a command of cdbg")
is_(places[-1][:3], ("again", "toy_example [generated 0/0, break]", str(line)), "continue stops in the next call")
like(out, r"^quit ok$", "disconnect ends the program")
done()
