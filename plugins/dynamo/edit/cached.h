/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's cache of one function as a list: read, changed, written.  Knows no guard, and not how Dynamo is made to
   take an entry. */
#ifndef DYNAMO_EDIT_CACHED_H
#define DYNAMO_EDIT_CACHED_H
#include "torch/host.h"

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

bool cached_keeps_order(void);               /* when last written: Dynamo does not move an entry that is used */
void cached_follow_use(bool on);             /* Dynamo moves an entry that is used to the front: in all functions */
void slot_copy(struct slot *to, const struct slot *from);
void slot_release(struct slot *s);

#endif
