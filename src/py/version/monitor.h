/* SPDX-License-Identifier: BSD-3-Clause */
/* What py3NN.c does beside py.h from CPython 3.12 on: the frame's side of instruction events and jumps.  For
   *_monitor.c only. */
#ifndef CDBG_MONITOR_H
#define CDBG_MONITOR_H
#include "py/py.h"

/* Identity of the innermost activation of a thread, as py_frame_address(). */
uintptr_t py_thread_innermost(struct py_thread *t);
void py_frame_save_depth(struct py_frame *f, int depth); /* -1: not saved, where the version has that */
void py_frame_place(struct py_frame *f, int unit);	 /* its next instruction, for who looks at the frame */
void py_frame_forget_slot(struct py_frame *f, int slot); /* NULL, releasing nothing */
void *py_frame_take_slot(struct py_frame *f, int slot);	 /* new reference to what it holds, NULL put there */
/* Line data that CPython made for LINE events, so that it is made again for the next tool. */
void py_code_drop_lines(struct py_code *co);

#endif
