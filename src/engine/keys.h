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
	const char *line; /* the command line */
	const char *help; /* NULL: the line says it */
	bool user;	  /* made by bind */
};

/* A key in the full screen's row of hints. */
struct key_hint {
	enum key_where where;
	const char *key;
	const char *label; /* what it does; NULL: what the selected row says of it */
};

/* The i-th hint, most important first; a key that the user has bound is labelled with its command line. */
bool keys_hint(size_t i, struct key_hint *out);
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
