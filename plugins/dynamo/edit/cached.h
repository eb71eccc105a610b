/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's cache of one function as a list: read, changed, written.  Knows no guard, and not how Dynamo is made to
   take an entry. */
#ifndef DYNAMO_EDIT_CACHED_H
#define DYNAMO_EDIT_CACHED_H
#include "torch/host.h"

struct slot {
	PyObject *code, *manager, *id, *note, *backend; /* owned */
};

struct cached {
	PyCodeObject *co; /* borrowed */
	struct slot *slot;
	size_t n, cap;
	PyObject *seen; /* owned: the code that was read, in order; NULL: not read */
};

int cached_read(PyCodeObject *original, struct cached *out, struct err *err);
void cached_release(struct cached *c);
size_t cached_find(const struct cached *c, PyCodeObject *generated); /* n: it is not in the list */
void cached_move(struct cached *c, size_t from, size_t to);
void cached_insert(struct cached *c, size_t at, const struct slot *s); /* takes references of its own */
void cached_drop(struct cached *c, size_t at);
/* Entries of an older list's `seen` keep its order; newer ones come before them, as Dynamo puts them. */
void cached_reorder(struct cached *c, PyObject *order);

/* Make Dynamo's cache this list: its entries may be made by Dynamo or new, with code that takes the same arguments and
   free variables.  None of the program's code runs, nothing compiles, no other thread runs in between. -1: the cache is
   unchanged.  CACHED_MOVED: unchanged too, but another thread has changed it since it was read: read it again. */
enum { CACHED_MOVED = 1, CACHED_TRIES = 50 };

#define CACHED_BUSY "other threads keep compiling '%s': edit it when they have finished"
int cached_write(const struct cached *c, struct err *err);
/* While no other thread runs: does the cache have other entries than were read? Is it this list (-1: compared from its
   end)? */
bool cached_moved(const struct cached *c);
int cached_is(const struct cached *c);

/* What Dynamo does at a call: compile if no entry matches, only run entries, or run the function in eager mode (EAGER:
   and everything it calls). */
enum strategy { STRATEGY_ASKS, STRATEGY_RUNS_ONLY, STRATEGY_SKIPS, STRATEGY_EAGER, STRATEGIES };

bool cached_keeps_order(void);	 /* when last written: Dynamo does not move an entry that is used */
void cached_follow_use(bool on); /* Dynamo moves an entry that is used to the front: in all functions */
void slot_copy(struct slot *to, const struct slot *from);
void slot_release(struct slot *s);

#endif
