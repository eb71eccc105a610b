/* SPDX-License-Identifier: BSD-3-Clause */
/* Single lines for people to read, the same everywhere: an instruction, a source line, a frame. None ends in a
   newline.  Knows no terminal. */
#ifndef CDBG_RENDER_H
#define CDBG_RENDER_H
#include "engine/session.h"

/* "192 POP_JUMP_FORWARD_IF_FALSE to 396": offset, name, argument. */
void render_instr(struct code *c, int index, struct buf *out);
/* "12    x = a / 2", with `mark` ("->", "" for none) and a B at breakpoints as in `list`; false: there is no source. */
bool render_source(struct session *s, const char *file, int line, const char *mark, struct buf *out);
/* A file as it is shown: relative when below the working directory.  Borrowed: a tail of path, or of visible(). */
const char *render_file(const char *path);
/* "toy_example at toy.py:6 [generated 0/0, graph call]": a frame without its level. */
void render_frame(const struct frame *f, struct buf *out);
/* "thread 2 'loader'", named as `info threads` has it. */
void render_thread(struct hook_thread *t, struct buf *out);
/* The location of a frame: its source line, and in generated code or inside a line the instruction with the value
   stack. */
void render_place(struct session *s, const struct frame *f, struct buf *out);
/* Is there an enabled breakpoint on this line / instruction?  Its number, or 0. */
int render_break_line(struct session *s, const char *file, int line);
int render_break_instr(struct session *s, const struct code *c, int index);
/* Are there only disabled breakpoints on it? */
bool render_off_line(struct session *s, const char *file, int line);
bool render_off_instr(struct session *s, const struct code *c, int index);

#endif
