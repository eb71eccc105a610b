/* SPDX-License-Identifier: BSD-3-Clause */
/* Edits of single guards: the record of the calls that built them, and the tree that overrides make of it. */
#ifndef CDBG_DYNAMO_EDIT_GUARD_H
#define CDBG_DYNAMO_EDIT_GUARD_H
#include "edit.h"
#include "guards/guard_tree.h"

#define EDIT_CONDITION "<condition of the debugger>"  /* the file name of what `guard add` evaluates */

/* ---- record.c: the calls that built the guards: a list of tuples, one a call ------------------------- */

/* The number of the node it is called on (-1: a function), its name, arguments, named ones or None, the number of the
   node that it makes (-1: none), the source of a guard's node (None: it makes no guard). */
enum { ROW_NODE, ROW_METHOD, ROW_ARGS, ROW_NAMED, ROW_RESULT, ROW_SOURCE };

void record_switch(struct session *s);       /* the option changed, or the plugin woke */
void record_stop(void);
void record_pause(bool on);                  /* this thread's calls are not noted meanwhile; nests */
PyObject *record_begin(void);                /* a list for the calls of one compile; NULL: not wanted */
/* What is needed to build the guards of this manager anew: a new reference or NULL.  Holds no tensor. */
PyObject *record_finish(PyObject *calls, PyObject *manager);
/* Rows of a record by source, for those that look for many guards: a new reference, or NULL. */
PyObject *record_index(PyObject *record);
/* The numbers of rows that make guards of this value ("": of several), NULL: of whole lists of values.  Borrowed, or
   NULL. */
PyObject *record_rows(PyObject *index, const char *source);
/* The number of the row that made this guard, -1: none. */
Py_ssize_t record_find(PyObject *record, PyObject *index, const struct guard *g);
Py_ssize_t record_node(PyObject *row);
/* Dynamo's managers of whole dictionaries take guards of a few kinds only. */
bool record_takes_lambdas(PyObject *record, Py_ssize_t node);
PyObject *record_texts(PyObject *args);      /* the guard's texts among these arguments: borrowed, or NULL */

/* ---- replay.c: guards built again from a record ----------------------------------------------------------- */

/* A new root with what one call adds, the method and its arguments; NULL: it cannot stand alone. */
PyObject *record_one(PyObject *method, PyObject *args);
/* A new root; edits: {index: [(method, arguments), ...]}, what is called instead, or NULL. */
PyObject *record_replay(PyObject *record, PyObject *edits, struct err *err);

/* ---- rebuild.c: the tree that overrides of guards make --------------------------------------------------- */

/* A new root, NULL with err; manager: the entry's own. */
PyObject *leaf_root(struct entry *e, PyObject *manager, struct err *err);
/* A new root without these guards, whatever is overridden; NULL: it cannot be built, or there is no record. */
PyObject *leaf_without(struct entry *e, const struct guard *const *g, int n, struct err *err);
/* A Python condition over the function's arguments, to be put into a tree; NULL with err. */
PyObject *leaf_condition(struct entry *e, PyObject *manager, const char *text, struct err *err);
/* Calls that were served under it and would have missed; -1: not counted. */
long leaf_served(const struct override *o);
/* Does it let these locals pass, a condition of the user's?  -1: it raised. */
int leaf_passes(const struct override *o, PyObject *locals);
/* Does this value pass an edited guard as it is now? */
bool leaf_edited(const struct override *o, PyObject *value);
void leaf_trying(bool on);                   /* a tree is asked by hand: that serves no call */

/* ---- guard_change.c -------------------------------------------------------------------------------------------- */

/* Calls that build this guard with another value: a list for record_replay(), NULL with err. */
PyObject *change_guard(const struct guard *g, const char *words, struct err *err);
const char *change_text(PyObject *calls);    /* the guard's text then: the calls', or NULL */

int change_may(const struct guard *g, struct err *err);      /* has it any? */
/* What that would be for the value it has: added to out. */
void change_now(const struct guard *g, struct buf *out);

/* ---- impact.c: what an override puts at stake ------------------------------------------------------------ */

const char *stake_risk(const struct guard *g);       /* "safe", "shape", ... */
/* The line that made it, the graph nodes that read it, whose calls the entry would take.  now: the text of the guard
   that an edit puts in its place, NULL: nothing. */
void stake_tell(const struct guard *const *g, int n, const char *now, struct buf *out);

/* ---- calls.c: which calls entries would take, were these guards gone or another --------------------------- */

/* gone: those of an entry in a row, by number. */
void calls_tell(const struct guard *const *gone, int n, const char *now, struct buf *out);

/* ---- cmd_guard_edit.c: commands; args: behind the subcommand ----------------------------------------------------- */

int guard_drop(const char *args, struct reply *out, struct err *err);
int guard_restore(const char *args, struct reply *out, struct err *err);
int guard_force(const char *args, struct reply *out, struct err *err);
int guard_add(const char *args, struct reply *out, struct err *err);
int guard_edit(const char *args, struct reply *out, struct err *err);
#endif
