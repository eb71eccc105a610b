/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's cache of one function as a list: read, changed, written.  Knows no guard, and not how Dynamo is made to
   take an entry. */
#ifndef DYNAMO_EDIT_CACHE_LIST_H
#define DYNAMO_EDIT_CACHE_LIST_H
#include "torch/cdbg_host.h"

struct cache_slot {
	PyObject *code, *manager, *id, *note, *backend; /* owned */
};

struct cache_list {
	PyCodeObject *co; /* borrowed */
	struct cache_slot *slot;
	size_t n, cap;
	PyObject *seen; /* owned: the code that was read, in order; NULL: not read */
};

int cache_list_read(PyCodeObject *original, struct cache_list *out, struct err *err);
void cache_list_release(struct cache_list *c);
size_t cache_list_find(const struct cache_list *c, PyCodeObject *generated); /* n: it is not in the list */
void cache_list_move(struct cache_list *c, size_t from, size_t to);
void cache_list_insert(struct cache_list *c, size_t at, const struct cache_slot *s); /* takes references of its own */
void cache_list_drop(struct cache_list *c, size_t at);
/* Entries of an older list's `seen` keep its order; newer ones come before them, as Dynamo puts them. */
void cache_list_reorder(struct cache_list *c, PyObject *order);

/* Make Dynamo's cache this list: its entries may be made by Dynamo or new, with code that takes the same arguments and
   free variables.  None of the program's code runs, nothing compiles, no other thread runs in between. -1: the cache is
   unchanged.  CACHE_LIST_MOVED: unchanged too, but another thread has changed it since it was read: read it again. */
enum { CACHE_LIST_MOVED = 1, CACHE_LIST_TRIES = 50 };

#define CACHED_BUSY "other threads keep compiling '%s': edit it when they have finished"
int cache_list_write(const struct cache_list *c, struct err *err);
/* While no other thread runs: does the cache have other entries than were read? Is it this list (-1: compared from its
   end)? */
bool cache_list_moved(const struct cache_list *c);
int cache_list_is(const struct cache_list *c);

/* What Dynamo does at a call: compile if no entry matches, only run entries, or run the function in eager mode (EAGER:
   and everything it calls). */
enum strategy { STRATEGY_ASKS, STRATEGY_RUNS_ONLY, STRATEGY_SKIPS, STRATEGY_EAGER, STRATEGIES };

bool cache_list_keeps_order(void);   /* when last written: Dynamo does not move an entry that is used */
void cache_list_follow_use(bool on); /* Dynamo moves an entry that is used to the front: in all functions */
void cache_slot_copy(struct cache_slot *to, const struct cache_slot *from);
void cache_slot_release(struct cache_slot *s);

#endif
