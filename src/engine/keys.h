/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys are names for command lines: one table, the defaults and what `bind` changes.  Knows no terminal. */
#ifndef CDBG_KEYS_H
#define CDBG_KEYS_H
#include <stdbool.h>
#include <stddef.h>

struct err;

/* Where a key counts. */
enum key_where {
	KEYS_PANE, /* while a pane has the focus */
	KEYS_LINE, /* on the command line */
	KEYS_ALL,  /* both */
};

struct key_binding {
	enum key_where where;
	const char *key;  /* "F5", "j", "C-x o" */
	const char *line; /* the command line; "": none, or the line editor's own key */
	const char *help; /* NULL: the line says it */
	bool user;	  /* made by bind */
	/* In the row of hints: what it does, NULL: what the selected row says of it; and its place while a pane, or the
	   command line, has the focus: the smallest comes first, 0 is not there. */
	const char *label;
	unsigned char pane_rank, line_rank;
};

/* The i-th, defaults in their order, then the user's own; NULL past the last.  The copy in *out is the caller's to use
   while it holds no reference across a bind: text is never freed. */
bool keys_at(size_t i, struct key_binding *out);
/* The line of a key, or NULL.  line: the command line has the focus.  Any thread. */
const char *keys_find(const char *key, bool line);
/* The first key of a pane that stands for this line; "" when none does. */
const char *keys_of(const char *line);
/* Is there a binding that begins with this key and a space? */
bool keys_prefix(const char *key, bool line);
/* An empty line removes the binding. -1: key is not the name of a key. */
int keys_bind(enum key_where where, const char *key, const char *line, struct err *err);
const char *keys_where_name(enum key_where w); /* "pane", "line", "all" */

#endif
