/* SPDX-License-Identifier: BSD-3-Clause */
/* What py3NN.c implements besides py.h in CPython 3.12 and later: the frame's part of instruction events and jumps.
   For the files of src/py/hook that use sys.monitoring only. */
#ifndef CDBG_MONITOR_H
#define CDBG_MONITOR_H
#include "py/py.h"

/* Identity of the innermost activation of a thread, as py_frame_address(). */
uintptr_t py_thread_innermost(struct py_thread *t);
void py_frame_save_depth(struct py_frame *f, int depth); /* -1: not saved, where the version has that */
void py_frame_place(struct py_frame *f, int unit);	 /* its next instruction, for readers of the frame */
void py_frame_forget_slot(struct py_frame *f, int slot); /* NULL, releasing nothing */
void *py_frame_take_slot(struct py_frame *f, int slot);	 /* a new reference to its value; the slot becomes NULL */
/* Line data that CPython made for LINE events, so that it is made again for the next tool. */
void py_code_drop_lines(struct py_code *co);

#endif
