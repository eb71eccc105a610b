/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder offer to each other and to other folders, file by file. */
#ifndef DYNAMO_CMD_H
#define DYNAMO_CMD_H
#include "torch/cdbg_host.h"

struct entry;

/* ---- blame.c: command: blame. */
extern const struct cmd_def cmd_blame[];
/* Judges the call that begins in this entry's generated code, whose frame has these locals: what blame() of blame.py
   returns.  NULL with err: why it cannot be judged.  In a stop, or aside of the program. */
PyObject *blame_call(struct entry *e, PyObject *locals, struct err *err);
/* Adds to a map what the answer says, and to out its notes, in lines that begin with `indent`. */
void blame_put(PyObject *answer, struct val *map);
void blame_notes(PyObject *answer, const char *indent, struct buf *out);

/* ---- cmd_backend.c: command backend, also written `set backend`, and its view: compiles one function with another
   backend of torch, and removes its entries from Dynamo's cache for that. */
extern const struct cmd_def cmd_backend[];
extern const struct view_ops view_backends;

/* ---- cmd_code.c: command: code.  Writes generated code as text, lets the user change it, and assembles it into a
   clone of its entry.  Never changes the code that Dynamo made. */
extern const struct cmd_def cmd_code[];

/* ---- cmd_entry.c: commands: entry, eager, undo.  They add overrides to the ledger, which applies them. */
extern const struct cmd_def cmd_entry[];

/* ---- cmd_graph.c: command: graph, which shows a captured graph in other forms than rows. */
extern const struct cmd_def cmd_graph[];

/* ---- cmd_guard.c: command: guard, which explains guards and changes them: one row of a table for each subcommand. */
extern const struct cmd_def cmd_guard[];

/* ---- cmd_guard_edit.c: subcommands: guard drop, force, add, edit, restore.  Each adds overrides to the ledger. */
int guard_drop(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
int guard_restore(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
int guard_force(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
int guard_add(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);
int guard_edit(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err);

/* ---- cmd_overrides.c: command: overrides, also written `set overrides`: writes the changes in force as a script of
   commands that repeat them in another run, where guards are identified by function, kind and source.  Changes
   nothing. */
extern const struct cmd_def cmd_overrides[];

/* ---- entry_check.c: entry check: an entry's guards on values of the selected frame or given ones.  Changes nothing
   in Dynamo's cache. */
/* Do the entry's guards pass for these values, a dict?  0: they do not; failing: lines about those that fail.  -1 with
   err: they cannot be checked. */
int entry_passes(struct entry *e, PyObject *values, struct buf *failing, struct err *err);
/* args: "with NAME=EXPR ..." or nothing. */
int entry_check(struct entry *e, const char *args, struct reply *out, struct err *err);

/* ---- entry_run.c: entry run, diff: run an entry's generated code on values of the selected frame or given ones, if
   its guards pass. It runs on the program's own objects, whose state is saved before each run and restored after
   it; Dynamo's cache stays as it is. */
/* The globals that the entry was compiled with: a new reference, or NULL with err. */
PyObject *entry_globals(struct entry *e, struct err *err);
/* args: "with NAME=EXPR ..." or nothing.  anyhow: although the entry's guards fail. */
int entry_run(struct entry *e, const char *args, bool anyhow, struct reply *out, struct err *err);
int entry_diff(struct entry *e, const char *args, bool anyhow, struct reply *out, struct err *err);
/* -1 with err, which names the guards that fail and says that `command` with -f does it all the same. */
int entry_fits(struct entry *e, PyObject *values, const char *command, struct err *err);

/* ---- graph_diff.c: graph show and graph diff: the nodes of a graph's stage, and how two differ. */
/* args: "NAME [STAGE]". */
int graph_show_command(const char *args, struct reply *out, struct err *err);
/* args: "A B", each a graph, an entry or a stage, or both as NAME:STAGE. */
int graph_diff_command(const char *args, struct reply *out, struct err *err);

#endif
