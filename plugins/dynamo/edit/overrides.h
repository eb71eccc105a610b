/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of overrides: what the user changed, and which of it is active on an entry or a guard.  Changes nothing
   in Dynamo. */
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
	OVERRIDE_ADD, /* on guards */
	OVERRIDE_DISABLE,
	OVERRIDE_DELETE,
	OVERRIDE_PREFER,
	OVERRIDE_FORCE_ENTRY,
	OVERRIDE_INSTALL,
	OVERRIDE_EAGER,
	OVERRIDE_BACKEND, /* on a function, like eager */
	OVERRIDE_VAR,
	OVERRIDE_STACK,
	OVERRIDE_JUMP, /* in a frame: cannot be undone */
};

/* The functions that apply and revert it. */
struct override_kept {
	PyObject *check, *counter; /* owned: rebuild.c's */
	enum strategy was;	   /* for an eager function: its former strategy */
	struct stash *stash;	   /* written by stash.c: the entries that it removed from the cache */
	PyObject *order;	   /* owned list of code objects: the former order, or NULL */
};

struct override {
	struct override *next;
	int number;
	int step; /* the same for all overrides of one command */
	enum override_kind kind;
	struct entry *entry; /* NULL: it is on a function */
	struct func *func;
	int guard;  /* the guard's number, 0: none */
	char *text; /* owned: the text of an added or edited guard; or NULL */
	bool value; /* for a forced guard: does it always pass? */
	const char *risk;
	bool picked;	   /* written by undo.c: is about to be undone */
	bool undone, dead; /* reverted; always set for changes of frames */
	double when;	   /* seconds since 1970 */
	struct override_kept kept;
};

extern struct override *ledger; /* oldest first */
bool override_in_force(const struct override *o);
bool override_has(struct entry *e, enum override_kind d); /* is an override of that kind active on this entry? */
void override_append(struct override *const *list, int n);
void override_free(struct override *o); /* for one that is in no list */
struct override *override_new(enum override_kind kind, struct entry *e, const char *risk);
void overrides_changed(void); /* an override was applied or reverted */
struct override *override_numbered(int number);
const char *override_kind_name(enum override_kind d);
/* The active override on a guard; NULL: none. */
struct override *override_on(int guard);
const char *override_guard_state(int guard); /* its state: "on", "dropped", "forced", "edited" */
/* For struct guard_edits: by a guard's number. */
enum guard_edit override_guard_edit(int guard);
const char *override_guard_text(int guard);
int override_more_guards(struct entry *e); /* how many guards the user added to it */
/* "disabled", "edited", ...; NULL: as Dynamo made it. */
const char *override_entry_state(struct entry *e);
bool override_in_frame(const struct override *o);

#endif
