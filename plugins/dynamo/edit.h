/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files about editing share: Dynamo's cache as a list that can be handed back, and the ledger of changes. */
#ifndef CDBG_DYNAMO_EDIT_H
#define CDBG_DYNAMO_EDIT_H
#include "dynamo.h"

/* A function of edit.py, called: a new reference, or NULL with the exception set. */
PyObject *edit_call(const char *name, PyObject *a, PyObject *b, PyObject *c);
/* A function of state.py or compare.py: likewise.  Takes args, a tuple or NULL. */
PyObject *state_call(const char *name, PyObject *args);
/* The pending exception, cleared, behind `what`: -1. */
int edit_raised(struct err *err, const char *what);
/* What add_lambda_guard and its like take in this torch: a new tuple. */
PyObject *edit_lambda_args(PyObject *fn, const char *text);
/* A tree equal to this manager's: a new root, or NULL with the exception set. */
PyObject *edit_clone(PyObject *manager);

/* ---- cache_list.c: one function's entries, in the order in which Dynamo tries them ------------------- */

struct slot {
	PyObject *code, *manager, *id, *note, *backend;      /* owned */
};

struct cached {
	PyCodeObject *co;                    /* borrowed */
	struct slot *slot;
	size_t n, cap;
	PyObject *seen;                      /* owned: the code that was read, in order; NULL: whatever is there now */
};

int cached_read(PyCodeObject *original, struct cached *out, struct err *err);
void cached_release(struct cached *c);
size_t cached_find(const struct cached *c, PyCodeObject *generated);         /* n: it is not there */
void cached_move(struct cached *c, size_t from, size_t to);
void cached_insert(struct cached *c, size_t at, const struct slot *s);       /* takes references of its own */
void cached_drop(struct cached *c, size_t at);
/* Those of an older one's `seen` stand in its order again; newer ones before them, as Dynamo puts them. */
void cached_reorder(struct cached *c, PyObject *order);
/* Make Dynamo's cache that list: its entries may be of Dynamo's making or new ones, whose code takes the same arguments
   and free variables.  Nothing of the program runs, nothing compiles, no other thread gets in between; -1: the cache is
   as it was.  CACHED_MOVED: it is, but another thread has changed it since it was read: read it again. */
enum { CACHED_MOVED = 1, CACHED_TRIES = 50 };
#define CACHED_BUSY "other threads keep compiling '%s': edit it when they are through"
int cached_write(const struct cached *c, struct err *err);
/* While no other thread runs: has it other entries than were read?  Is it this list (-1: from its end)? */
bool cached_moved(const struct cached *c);
int cached_is(const struct cached *c);
/* What Dynamo does at a call: asks where no entry matches, only runs entries, runs it as written (and, EAGER, all that
   is called from there). */
enum strategy { STRATEGY_ASKS, STRATEGY_RUNS_ONLY, STRATEGY_SKIPS, STRATEGY_EAGER, STRATEGIES };
int cached_strategy(PyCodeObject *co, enum strategy *out, struct err *err);
int cached_strategy_set(PyCodeObject *co, enum strategy to, struct err *err);
bool cached_strategy_keeps(void);            /* no: on this torch entries are lost where it does not ask */
bool cached_keeps_order(void);               /* when last written: Dynamo does not move an entry that is used */
void cached_follow_use(bool on);             /* Dynamo moves an entry that is used to the front: in all functions */
void slot_copy(struct slot *to, const struct slot *from);
void slot_release(struct slot *s);

/* ---- insert.c: how Dynamo is made to take entries ------------------------------------------------------ */

/* Its cache is made this list, written from its end, or, BEHIND, from its beginning: Dynamo puts new ones behind.
   *is: what cached_is() says then.  Also CACHED_MOVED. */
int hand_back(const struct cached *c, bool behind, int *is, struct err *err);
/* Does this torch check guards of entries that it has while it is handed others?  One without guards must fail then: */
bool hand_guarded(void);
bool hand_now(void);                         /* ... is this thread at that? */

/* ---- precompiled.c: precompiled entries that the program loaded ------------------------------------------- */

/* Those of this code, in their order: a new list, NULL: none.  -1: they could not be put back. */
int loaded_of(PyCodeObject *co, PyObject **out, struct err *err);
void loaded_out(PyObject *list);             /* out of the cache, and back in */
void loaded_in(PyObject *list);
void loaded_stop(void);

/* ---- exclusive.c: nobody else runs --------------------------------------------------------------------- */

/* Call it while no other thread is in Dynamo's cache or gets the GIL; waits for that.  It must not run Python for long.
   -1: not called, somebody stayed. */
int edit_alone(PyCodeObject *co, void (*run)(void *arg), void *arg, struct err *err);
bool edit_runs_now(PyCodeObject *co);        /* in any thread's stack */

/* ---- ledger.c: what is changed ---------------------------------------------------------------------- */

enum deed {
	DEED_DROP, DEED_FORCE, DEED_EDIT, DEED_ADD,          /* of guards */
	DEED_DISABLE, DEED_DELETE, DEED_PREFER, DEED_FORCE_ENTRY, DEED_INSTALL, DEED_EAGER,
	DEED_BACKEND,                        /* of a function, as eager */
	DEED_VAR, DEED_STACK, DEED_JUMP,     /* in a frame: done, and not to be undone */
};

struct override {
	struct override *next;
	int number;
	int step;                            /* what one command did has one */
	enum deed deed;
	struct entry *entry;                 /* NULL: of a whole function */
	struct func *func;
	int guard;                           /* its number, 0: none */
	char *text;                          /* owned: of an added guard, what an edited one is now; or NULL */
	bool value;                          /* of a forced guard */
	PyObject *check, *counter;           /* owned: rebuild.c's */
	const char *risk;
	enum strategy was;                   /* of an eager function */
	struct aside *aside;                 /* stash.c's: entries that are out of the cache for its sake */
	bool picked;                         /* to be undone: undo.c's */
	bool undone, dead;                   /* what was done in a frame is in force no more: undone */
	double when;                         /* seconds since 1970 */
	PyObject *order;                     /* owned list of code objects: the order before, or NULL */
};

extern struct override *ledger;              /* oldest first */
struct override *override_new(enum deed deed, struct entry *e, const char *risk);
/* Do these, which are of one entry (or function), at once: takes them; they are freed when it cannot be done. */
int ledger_do(struct override *const *o, int n, struct buf *out, struct err *err);
/* Between true and false what is done belongs to one command, so that undo takes it back at once. */
void ledger_step(bool begins);
void ledger_moved(void);                     /* an override is in force, or is no more */
bool ledger_holds(struct entry *e);          /* what Dynamo made of it is kept: overrides are in force */
/* Make the cache follow the overrides in force on this entry. */
int ledger_follow(struct entry *e, PyObject *order, bool front, struct err *err);
void ledger_clear(void);                     /* as after ledger_reset(), and the list is empty */
struct override *ledger_number(int number);
void ledger_forget(struct entry *e);          /* it is gone: what is in force on it is dead */
void ledger_recode(struct entry *e, PyObject *code);  /* a clone got other code */
void ledger_reset(void);                     /* Dynamo forgot everything */

/* ---- undo.c --------------------------------------------------------------------------------------------- */

/* Of one entry or function. */
int ledger_undo(struct override *const *o, int n, struct buf *out, struct err *err);
int ledger_undo_step(struct buf *out, struct err *err);      /* what the last command did, as far as it is in force */
void ledger_stop(void);

/* ---- ledger.c, further ------------------------------------------------------------------------------------ */

/* In a frame of this code: "set var", "set stack" or "jump". */
void ledger_changed(PyCodeObject *co, const char *what, const char *text);
bool ledger_in_frame(const struct override *o);
const char *deed_name(enum deed d);
/* The override in force on a guard, NULL: none. */
struct override *ledger_on(int guard);
const char *ledger_guard(int guard);         /* its state: "on", "dropped", "forced", "edited" */
int ledger_more(struct entry *e);            /* guards that it has more than Dynamo made */
/* "disabled", "edited", ...; NULL: as Dynamo made it. */
const char *ledger_state(struct entry *e);
/* The entry's guards as Dynamo made them, when others stand in for them: a new reference, else NULL. */
PyObject *ledger_original(struct entry *e);

/* The guards of an entry that is not in Dynamo's cache, as they would be in it: a new reference, else NULL. */
PyObject *ledger_manager(struct entry *e);

/* Functions by words of a command: an entry by its id. */
struct entry *edit_entry(const char **args, struct err *err);
int edit_lives(struct entry *e, struct err *err);    /* -1: err says why not, and what to do */
void edit_complete(struct val *list);        /* ids of live entries */
struct entry *edit_selected(struct err *err);        /* that of the selected frame's generated code */

/* ---- stash.c: whole functions ------------------------------------------------------------------------ */

/* All entries of the override's function and of its resume functions leave the cache; -1: none did. */
int aside_take(struct override *o, struct err *err);
int aside_back(struct override *o, struct err *err);         /* and nothing else is there */
size_t aside_of(const struct override *o, const struct func *f);     /* how many, of this function; NULL: of all */
bool aside_has(const struct override *o, PyCodeObject *generated);
void aside_free(struct override *o);
int eager_do(struct override *o, struct err *err);
int eager_undo(struct override *o, struct err *err);

/* ---- cmd_backend.c: another backend for a function ------------------------------------------------------- */

/* In force on it, or, of a resume function, on the one that it belongs to; or NULL. */
struct override *backend_of(struct func *f);
int backend_do(struct override *o, struct err *err);
int backend_undo(struct override *o, struct err *err);
/* This call of Dynamo's _compile, for this code: with the compiler that the user set, if he set one. */
void backend_give(struct call *call, PyObject *code);
bool edit_alive(PyObject *watched);          /* edit.py's: none of these weak references is dead */

/* ---- clone.c: entries of the user's own ------------------------------------------------------------------- */

/* A new entry beside this one: its guards, this code, which takes the same arguments and free variables.  It is in no
   cache yet.  NULL with err. */
struct entry *clone_new(struct entry *parent, PyCodeObject *code, struct err *err);
/* Other code for a clone that is not in the cache: its number and its guards stay. */
int clone_may_recode(struct entry *e, struct err *err);
int clone_recode(struct entry *e, PyCodeObject *code, struct err *err);
/* What stands in the cache for it, guards unedited; NULL: it is no clone. */
const struct slot *clone_slot(const struct entry *e);
void clone_forget(struct entry *e, const char *why);
void clones_forget(void);

/* ---- text_file.c: files ------------------------------------------------------------------------------------ */

int text_write(const char *path, const struct buf *text, struct err *err);
int text_read(const char *path, struct buf *text, struct err *err);
char *text_temporary(struct err *err);       /* an empty file: its path, the caller's, or NULL */

/* ---- cmd_code.c: code as text ------------------------------------------------------------------------------ */

int code_save(struct entry *e, const char *path, bool guards, struct reply *out, struct err *err);
int code_load(const char *path, struct reply *out, struct err *err);

extern const struct cmd_def cmd_entry[], cmd_code[], cmd_overrides[], cmd_backend[];
extern const struct view_ops view_overrides, view_backends;
#endif
