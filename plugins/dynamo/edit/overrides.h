/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of overrides: what the user changed, and what is in force on an entry or a guard. */
#ifndef DYNAMO_EDIT_OVERRIDES_H
#define DYNAMO_EDIT_OVERRIDES_H
#include "torch/cdbg_host.h"
#include "guards/guard_edit.h"
#include "edit/cache_list.h"

struct stash;
struct entry;
struct func;

enum override_kind {
	OVERRIDE_DROP,
	OVERRIDE_FORCE,
	OVERRIDE_EDIT,
	OVERRIDE_ADD, /* of guards */
	OVERRIDE_DISABLE,
	OVERRIDE_DELETE,
	OVERRIDE_PREFER,
	OVERRIDE_FORCE_ENTRY,
	OVERRIDE_INSTALL,
	OVERRIDE_EAGER,
	OVERRIDE_BACKEND, /* of a function, as eager */
	OVERRIDE_VAR,
	OVERRIDE_STACK,
	OVERRIDE_JUMP, /* in a frame: done, and not to be undone */
};

/* The functions that apply and revert it. */
struct override_kept {
	PyObject *check, *counter; /* owned: rebuild.c's */
	enum strategy was;	   /* of an eager function */
	struct stash *stash;	   /* stash.c's: entries that are out of the cache for its sake */
	PyObject *order;	   /* owned list of code objects: the order before, or NULL */
};

struct override {
	struct override *next;
	int number;
	int step; /* what one command did has one */
	enum override_kind kind;
	struct entry *entry; /* NULL: of a whole function */
	struct func *func;
	int guard;  /* its number, 0: none */
	char *text; /* owned: of an added guard, what an edited one is now; or NULL */
	bool value; /* of a forced guard */
	const char *risk;
	bool picked;	   /* to be undone: undo.c's */
	bool undone, dead; /* a change of a frame is no longer in force: undone */
	double when;	   /* seconds since 1970 */
	struct override_kept kept;
};

extern struct override *ledger; /* oldest first */
bool override_in_force(const struct override *o);
bool override_has(struct entry *e, enum override_kind d); /* is one of that kind in force on this entry? */
void override_append(struct override *const *list, int n);
void override_free(struct override *o); /* it is in no list any more */
struct override *override_new(enum override_kind kind, struct entry *e, const char *risk);
void overrides_changed(void); /* an override was applied or reverted */
struct override *override_numbered(int number);
const char *override_kind_name(enum override_kind d);
/* The override in force on a guard, NULL: none. */
struct override *override_on(int guard);
const char *override_guard_state(int guard); /* its state: "on", "dropped", "forced", "edited" */
/* For struct guard_edits: by a guard's number. */
enum guard_edit override_guard_edit(int guard);
const char *override_guard_text(int guard);
int override_more_guards(struct entry *e); /* guards that it has more than Dynamo made */
/* "disabled", "edited", ...; NULL: as Dynamo made it. */
const char *override_entry_state(struct entry *e);
bool override_in_frame(const struct override *o);

#endif
