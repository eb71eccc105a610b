/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that only a record has: its code object is gone, or its process.  Knows no view and no command. */
#ifndef CDBG_RECORDED_CODE_H
#define CDBG_RECORDED_CODE_H
#include <stdint.h>

struct buf;
struct err;
struct record_code;
struct rows;
struct session;
struct view_req;

struct recorded_code {
	const struct record_code *code; /* borrowed from the record */
	int64_t unit;			/* of the selected frame's instruction; -1: the frame runs other code */
};

/* Without words: the selected frame's code; with words, of a process that is gone, a function's or an entry's.  0: a
   code object is there, target_find() finds it; -1: err. */
int recorded_code_find(struct session *s, const char *words, struct recorded_code *out, struct err *err);
/* The rows of the view `code`; the same as text. */
void recorded_code_rows(struct session *s, const struct recorded_code *r, const struct view_req *req, struct rows *out);
/* Those of the view `asm`: a region, node or kernel has a heading. */
void recorded_code_pane(struct session *s, const struct recorded_code *r, struct view_req *req, struct rows *out);
void recorded_code_text(const struct recorded_code *r, struct buf *out);

#endif
