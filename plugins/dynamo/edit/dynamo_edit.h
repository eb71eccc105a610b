/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder offer to each other and to other folders, file by file. */
#ifndef DYNAMO_EDIT_H
#define DYNAMO_EDIT_H
#include "edit/cache_list.h"
#include "guards/guard_recorded.h"
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct entry;
struct func;
struct guard;
struct override;

/* ---- ledger.c: changes of a cache in which Dynamo puts an entry now: made once the compile has ended.
   Applies none itself. */
/* Does this thread compile the function?  Dynamo then holds its cache, and nothing may change there. */
bool after_compile_waits(const struct func *f);
/* A temporary breakpoint where the function's code begins next runs this line there, which out reports.  -1: err. */
int after_compile_run(const struct func *f, const char *line, struct buf *out, struct err *err);

/* ---- aside.c: the bracket of commands that run or compile something in the program's process: what they change of
   torch's state of the process, no other thread of the program sees. */
/* Takes Dynamo's lock and holds the program's other threads, once none of them compiles, imports or logs: waits for
   that, an interrupt ends it.  Nests.  -1: err says why it cannot be, and nothing is to be ended. */
int aside_begin(struct err *err);
void aside_end(void);

/* ---- call_prediction.c: predicts which entry would take which calls if some guards of an entry are dropped or
   changed.  Uses guards only: no value of a call is kept.  Changes nothing. */
/* gone: the guards of an entry that are dropped, by number. */
void call_prediction_add(const struct guard *const *gone, int n, const char *now, struct buf *out);

/* ---- condition.c: A Python condition over the arguments of a function, which the user adds to the guards of an
   entry. */
#define EDIT_CONDITION "<condition of the debugger>" /* the file name of the code that `guard add` evaluates */

/* A Python condition over the function's arguments, to be added to a guard tree; NULL with err. */
PyObject *condition_new(struct entry *e, PyObject *manager, const char *text, struct err *err);
/* Does this condition of the user pass for these locals?  -1: it raised. */
int condition_passes(const struct override *o, PyObject *locals);
void condition_trying(bool on); /* cdbg evaluates a guard tree itself: the counters of served calls do not change */
bool condition_tried(void);

/* ---- edit_python.c: calls functions of edit.py; converts exceptions to errors; copies guard trees.  Changes
   nothing. */
/* Call a function of edit.py: a new reference, or NULL with the exception set. */
PyObject *edit_call(const char *name, PyObject *a, PyObject *b, PyObject *c);
/* Record the pending exception, cleared, after the text `what`: -1. */
int edit_raised(struct err *err, const char *what);
/* The arguments that add_lambda_guard and the like take in this version of torch: a new tuple. */
PyObject *edit_lambda_args(PyObject *fn, const char *text);
/* A tree equal to this manager's: a new root, or NULL with the exception set. */
PyObject *edit_clone(PyObject *manager);
bool edit_alive(PyObject *watched); /* edit.py's: are all of these weak references alive? */

/* ---- edited_entry.c: the entry that a command edits: given by its id, the only one of a function or resume
   function, or that of the selected frame. */
/* An entry by its id, or by the name of a function or resume function that has one.  NULL with err. */
struct entry *edit_entry(const char *name, struct err *err);
/* Is it an argument ENTRY: a word, or the name of a resume function, "f (resumed at line 12)"?  -1: err. */
int edit_check_entry(const char *text, struct err *err);
int edit_lives(struct entry *e, struct err *err); /* -1 with err */
/* Completes an argument ENTRY: the numbers of live entries, and names of resume functions. */
void edit_complete_entry(struct session *s, const char *args, const char *word, struct val *list);
struct entry *edit_selected(struct err *err); /* of the selected frame's generated code */

/* ---- exclusive.c: runs a function while no other thread runs and none is inside Dynamo's cache.  Knows nothing
   about that function. */
/* Waits until no other thread is inside Dynamo's cache, then calls run() while no other thread gets the GIL.
   run() must not execute Python code for long. -1 with err: another thread did not leave the cache, and run() was
   not called. */
int exclusive_run(PyCodeObject *co, void (*run)(void *arg), void *arg, struct err *err);
bool exclusive_compiles(PyCodeObject *co); /* does this thread compile it? */
bool exclusive_runs_now(PyCodeObject *co); /* in any thread's stack */

/* ---- given_values.c: NAME=EXPR NAME=EXPR ..., evaluated in the selected frame. */
/* "NAME=EXPR NAME=EXPR ...", evaluated in the selected frame, into a dict. */
int entry_given(const char *args, PyObject *values, struct err *err);
/* Past the word "with" that may be at the beginning. */
const char *entry_given_begin(const char *args);
/* The next name that entry_given() would take, owned by the caller; NULL: there is none.
   *args moves past its value. */
char *entry_given_name(const char **args);

/* ---- guard_change.c: changes the value that a guard expects: repeats the call that built the guard with other
   arguments, depending on its kind.  Refuses kinds that cannot be changed, with the reason.  Knows no ledger. */
/* The calls that build this guard with another value, a list for replay_all(); NULL with err. */
PyObject *guard_change_calls(const struct guard *g, const char *words, struct err *err);
const char *guard_change_text(PyObject *calls); /* the changed guard's text, owned by the caller; or NULL */
int guard_change_may(const struct guard *g, struct err *err); /* can guards of its kind be changed? */
/* Adds the text of the present value to out, as `guard edit` takes it. */
void guard_change_now(const struct guard *g, struct buf *out);

/* ---- impact.c: what a dropped or changed guard may cost: the risk in one word, the line that made the guard, the
   graph nodes that read its value.  Changes nothing. */
const char *impact_risk(const struct guard *g); /* "safe", "shape", ... */
/* Adds the line that made the guard, the graph nodes that read its value, and which calls the entry would serve
   without it. now: the text of the guard that replaces it, or NULL. */
void impact_tell(const struct guard *const *g, int n, const char *now, struct buf *out);

/* ---- insert.c: inserts entries into Dynamo's cache.  Dynamo accepts entries only from its callback, one at each
   call of the function, and each such call is stopped before it runs anything.  Knows no guard, and not what the
   list is for. */
int insert_strategy(PyCodeObject *co, enum strategy *out, struct err *err);
int insert_strategy_set(PyCodeObject *co, enum strategy to, struct err *err);
bool insert_strategy_keeps(void); /* false: the entries are lost while Dynamo does not call the callback */
/* Writes this list into Dynamo's cache, from its end, or from its beginning if Dynamo puts new entries last.  is:
   the result of cache_list_is() afterwards.  May return CACHE_LIST_MOVED. */
int insert_list(const struct cache_list *c, bool behind, int *is, struct err *err);

/* ---- overrides.c: an override as the command line that makes it.  Changes nothing. */
/* Adds the line, without a newline.  here: for this run, by the numbers of guards and entries; else for another one,
   where guards are identified by function, kind and source.  Adds a comment if there is no such line. */
void override_line(const struct override *o, bool here, struct buf *out);

/* ---- precompiled.c: precompiled entries that the program loaded: they are removed and restored together with a
   function's other entries.  Torch does not return their code, so it is recorded when they are loaded.  Knows no
   override. */
extern const struct watcher watch_precompiled;
/* The precompiled entries of this code, in order: a new list; NULL: there are none. -1: they could not be
   restored. */
int precompiled_of(PyCodeObject *co, PyObject **out, struct err *err);
void precompiled_out(PyObject *list); /* remove them from the cache, and restore them */
void precompiled_in(PyObject *list);
void precompiled_stop(void);

/* ---- record.c: records the calls by which Dynamo builds an entry's guards while it compiles, so that replay.c can
   build the same guards again.  Tensors are replaced by stand-ins without elements.  Knows no command. */
void record_switch(struct session *s); /* after the option changed, or the plugin started */
void record_stop(void);
void record_pause(bool on);   /* while on, calls of this thread are not recorded; nests */
PyObject *record_begin(void); /* begins a record: a list for the calls of one compile; NULL: nothing is recorded */
/* Ends it: returns what is needed to build the guards of this manager again, a new reference, or NULL. Keeps no
   tensor alive. */
PyObject *record_finish(PyObject *calls, PyObject *manager);

/* ---- replay.c: builds an entry's guards again from their record, with some of the calls changed.  Knows no ledger
   and no command. */
/* A new root with the guard that one call adds (method and arguments); NULL: the guard cannot be alone
   in a tree. */
PyObject *replay_one(PyObject *method, PyObject *args);
/* A new root. edits: {index: [(method, arguments), ...]}, the calls to make instead of that row's, or NULL. */
PyObject *replay_all(PyObject *record, PyObject *edits, struct err *err);
/* The same, from a copy of the tree in which only the nodes with edited guards, and the nodes below them, are built
   again.  NULL without an exception: the whole tree must be built. */
PyObject *replay_nodes(PyObject *record, PyObject *edits, PyObject *manager);

/* ---- text_file.c: texts in files, for the user and the user's editor.  Knows nothing of what they say. */
/* A file that exists stays as it is until the new one is complete. */
int text_file_write(const char *path, const struct buf *text, struct err *err);
int text_file_read(const char *path, struct buf *text, struct err *err);
/* The same, of a file that no other user can have written. */
int text_file_read_own(const char *path, struct buf *text, struct err *err);
/* Makes a file with this text that only the user can read: its path, owned by the caller, or NULL. */
char *text_file_temporary(const struct buf *text, struct err *err);

/* ---- undo.c: reverts overrides: one by its number, those of the last command, or all of them at a detach. ledger.c
   decides what an entry becomes without them. */
/* Reverts these overrides of one entry or function. */
int undo_overrides(struct override *const *o, int n, struct buf *out, struct err *err);
int undo_last_step(struct buf *out, struct err *err); /* reverts what the last command did, as far as it is active */
void undo_stop(void);

/* ---- insert.c: one call of a function that is stopped before it runs anything, at which Dynamo asks our callback for
   an entry. */
/* Does this version of torch check the guards of existing entries while entries are inserted?  Then an entry
   without guards must fail in these calls: */
bool insert_call_guarded(void);
bool insert_call_running(void); /* ... is this thread insert_call_running entries now? */

/* ---- record.c: finds rows of a record: the call that made a guard, and the nodes that can have guards of a kind. */
/* An index of the rows by source, for callers that look for many guards: a new reference, or NULL. */
PyObject *record_index(PyObject *record);
/* The numbers of the rows that make guards of this value ("": guards on several values; NULL: on whole lists of
   values).  Borrowed, or NULL. */
PyObject *record_index_rows(PyObject *index, const char *source);
/* The number of the row that made this guard, -1: none. */
Py_ssize_t record_index_find(PyObject *record, PyObject *index, const struct guard *g);
Py_ssize_t record_index_node(PyObject *row);
/* Dynamo's managers of whole dictionaries take guards of a few kinds only. */
bool record_index_takes_lambdas(PyObject *record, Py_ssize_t node);

#endif
