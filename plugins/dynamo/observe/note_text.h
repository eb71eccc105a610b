/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a note: the stages of one graph, the nodes of each with numbers in place of their lines, and the buffers
   of inductor's code.  Reading survives any text.  Does not depend on files and on torch. */
#ifndef DYNAMO_OBSERVE_NOTE_TEXT_H
#define DYNAMO_OBSERVE_NOTE_TEXT_H
#include "torch/cdbg_host.h"

struct nodes;
struct origin;
struct source_line;

/* A stage, "captured" among them.  While it is part of a note that was read, `spot` of a node is the number of its
   lines, -1: it has none; and nspots is 0. */
struct note_stage {
	const char *name; /* the model's */
	struct nodes *nodes;
};

struct note {
	struct note_stage *stage;
	int nstages;
	size_t stages_cap;
	struct origin *origin; /* without `line` */
	int norigins;
	size_t origins_cap;
};

/* Numbers of the lines that nodes have, each stack of lines once. */
struct note_lines {
	struct note_line {
		const struct source_line *spot;
		int nspots;
	} * line;
	int n;
	size_t cap;
};

/* Each adds to the text of one note; note_put_end() ends it. */
void note_put_stage(struct buf *out, struct note_lines *lines, const char *name, const struct nodes *g);
void note_put_origins(struct buf *out, const struct origin *origin, int n);
void note_put_end(struct buf *out);
void note_lines_release(struct note_lines *lines);

/* The note that a text holds, whole; false: it is another text, and the note is empty.  Changes the text. */
bool note_read(struct note *note, char *text);
void note_release(struct note *note);
/* The stage of that name, or NULL. */
struct nodes *note_stage_named(const struct note *note, const char *name);

#endif
