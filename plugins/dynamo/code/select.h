/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves the argument [ENTRY|FUNC] of views and commands to functions and entries.  Knows no view. */
#ifndef DYNAMO_CODE_SELECT_H
#define DYNAMO_CODE_SELECT_H
#include "torch/cdbg_host.h"

struct entry;
struct func;

/* A resolved argument.  All that take FUNC use it. */
struct selection {
	bool all;		/* no argument was given */
	const struct entry *id; /* the words are this entry's name; or NULL */
	struct func **func;	/* owned: these functions and their resume functions */
	int nfuncs;
	size_t funcs_cap;
	struct entry **entry; /* owned: and entries in which the function is inlined */
	int nentries;
	size_t entries_cap;
};

/* Whatever `break` takes as FUNC, and names of entries.  -1: err, they mean nothing that Dynamo has looked at. */
int select_find(const char *words, struct selection *out, struct err *err);
bool select_has_func(const struct selection *m, const struct func *f);
bool select_has_entry(const struct selection *m, const struct entry *e);
void select_release(struct selection *m);
/* The one function that Dynamo has looked at that words mean, resume functions aside; NULL: err. */
struct func *select_func(const char *words, struct err *err);
/* The same for one function, asked while the program runs: no expression is evaluated. */
bool select_names(struct func *f, const char *words);
/* Without words: the entry that the selected frame runs, the one just compiled, the function of the selected frame or
   the one being compiled; all where none of these is. */
void select_default(struct selection *out);
/* Is there a selected frame?  False: the program has ended. */
bool select_stopped(void);
/* Takes an option off the front, such as "-g". */
bool select_option(const char **words, const char *option);
/* ... "-a": also what is invalidated. */
bool select_option_all(const char **words);
/* A candidate, described: "0/0<Tab>f, live, 1 graph". */
void select_complete_entry(const struct entry *e, struct val *list);
/* ... of a function: its name, with "function, f.py:12" or "continues Net.forward at line 9". */
void select_complete_func(const struct func *f, struct val *list);
/* What can be typed for generated code: entries that live, and names of resume functions, "Net.forward (resumed at line
   9)"; each with a tab and what it is. */
void select_typed_names(void (*add)(void *arg, const char *name), void *arg);
void select_complete(struct session *s, const char *words, const char *word, struct val *list);

struct selected_entries {
	struct entry **entry; /* owned array */
	int n;
	size_t cap;
};

/* An entry, a function (all its entries), or nothing: those of the selected frame, else all.  -1: err. */
int select_entries(const char *words, struct selected_entries *out, struct err *err);
void select_entries_of(const struct func *f, struct selected_entries *out); /* all of it, instead of what is there */

#endif
