/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger: what the user has changed in Dynamo's cache, put into force and taken back.  An entry's state always
   follows from the overrides in force on it, so that any of them can be undone.  Knows no command. */
#ifndef DYNAMO_EDIT_LEDGER_H
#define DYNAMO_EDIT_LEDGER_H
#include "torch/host.h"
#include "guards/guard_edit.h"
#include "edit/cache_list.h"

struct aside;
struct entry;
struct func;

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

extern struct override *ledger;    /* oldest first */
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
/* In a frame of this code: "set var", "set stack" or "jump". */
void ledger_changed(PyCodeObject *co, const char *what, const char *text);
bool ledger_in_frame(const struct override *o);
const char *deed_name(enum deed d);
/* The override in force on a guard, NULL: none. */
struct override *ledger_on(int guard);
/* For struct guard_edits: by a guard's number. */
enum guard_edit ledger_guard_edit(int guard);
const char *ledger_guard_text(int guard);
const char *ledger_guard(int guard);         /* its state: "on", "dropped", "forced", "edited" */
int ledger_more(struct entry *e);            /* guards that it has more than Dynamo made */
/* "disabled", "edited", ...; NULL: as Dynamo made it. */
const char *ledger_state(struct entry *e);
/* The entry's guards as Dynamo made them, when others stand in for them: a new reference, else NULL. */
PyObject *ledger_original(struct entry *e);
/* The guards of an entry that is not in Dynamo's cache, as they would be in it: a new reference, else NULL. */
PyObject *ledger_manager(struct entry *e);

#endif
