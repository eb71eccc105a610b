/* SPDX-License-Identifier: BSD-3-Clause */
/* Common to the command lines of the full screen and of plain mode: the settings of libedit and the history.  One
   thread at a time: the screen's thread ends before plain mode reads. */
#ifndef CDBG_LIBEDIT_H
#define CDBG_LIBEDIT_H
#include <histedit.h>
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>

struct buf;
struct err;

/* How an editor gets its characters, and what Tab does. */
struct libedit_ops {
	int (*get_char)(EditLine *el, wchar_t *c);
	unsigned char (*complete)(EditLine *el, wint_t c);
};

/* An editor with our bindings and history, and those of ~/.editrc; NULL: libedit has no memory for it.  terminal: its
   type, or NULL for that of TERM. */
EditLine *libedit_open(FILE *in, FILE *out, const char *terminal, const struct libedit_ops *ops);
void libedit_bind(EditLine *el); /* our bindings again: "bind -e" resets the map */
/* Does the editor know the sequence of a key?  out: where its output goes. */
bool libedit_bound(EditLine *el, const wchar_t *seq, const struct buf *out);
/* Lines that are kept; a new number reads the file again. */
void libedit_history_size(long max);
/* Remember a line, in the file too; not twice in a row.  -1 with err: as history_append(). */
int libedit_remember(const char *line, struct err *err);
/* Appends text of libedit as our text; a NUL that was typed becomes CMD_NUL. */
void libedit_add(struct buf *out, const wchar_t *w, size_t n);
/* Our text as text for libedit, of at most max characters; owned by the caller. */
wchar_t *libedit_text(const char *s, size_t *n);

#endif
