/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Dynamo's cache of one function as a list, changes the list and writes it back.  Knows no guard, and not how
   Dynamo is made to accept an entry. */
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
size_t cache_list_find(const struct cache_list *c, PyCodeObject *generated); /* returns c->n if it is not in the list */
void cache_list_insert(struct cache_list *c, size_t at, const struct cache_slot *s); /* takes references of its own */
void cache_list_drop(struct cache_list *c, size_t at);
/* Put the entries into the order of an older list's `seen`; entries that it lacks come first, where Dynamo puts
   new ones. */
void cache_list_reorder(struct cache_list *c, PyObject *order);

/* Write the list into Dynamo's cache.  Its entries may be Dynamo's or new ones, whose code takes the same arguments
   and free variables.  Runs none of the program's code, compiles nothing, and no other thread runs meanwhile. -1: the
   cache is unchanged.  CACHE_LIST_MOVED: the cache is unchanged, but another thread has changed it since it was read;
   read it again. */
enum { CACHE_LIST_MOVED = 1, CACHE_LIST_TRIES = 50 };

#define CACHED_BUSY "other threads keep compiling '%s': edit it when they have finished"
int cache_list_write(const struct cache_list *c, struct err *err);
/* To be called while no other thread runs.  Does the cache have other entries than those that were read?  Is it
   equal to this list (-1: compared from its end)? */
bool cache_list_moved(const struct cache_list *c);
int cache_list_is(const struct cache_list *c);

/* What Dynamo does at a call of the function: compile if no entry matches (ASKS), only use entries (RUNS_ONLY), run
   the function in eager mode (SKIPS), or run it and all that it calls in eager mode (EAGER). */
enum strategy { STRATEGY_ASKS, STRATEGY_RUNS_ONLY, STRATEGY_SKIPS, STRATEGY_EAGER, STRATEGIES };

bool cache_list_keeps_order(void);   /* does Dynamo leave a used entry in its place?  As of the last write */
void cache_list_follow_use(bool on); /* does Dynamo move a used entry to the front?  For all functions */
void cache_slot_copy(struct cache_slot *to, const struct cache_slot *from);
void cache_slot_release(struct cache_slot *s);

#endif
