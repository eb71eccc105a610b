/* SPDX-License-Identifier: BSD-3-Clause */
/* The place of an entry in Dynamo's own cache, and its attributes there: read each time, never kept. */
#ifndef DYNAMO_MODEL_DYNAMO_CACHE_H
#define DYNAMO_MODEL_DYNAMO_CACHE_H
#include "torch/cdbg_host.h"

struct entry;
struct func;

PyObject *model_invalidated(struct entry *e); /* the object in its place in Dynamo's cache: the same */
PyObject *model_backend(struct entry *e);     /* the same */
char *model_backend_name(struct entry *e);    /* owned by the caller; NULL: not known */
int model_order(struct entry *e);	      /* 1: Dynamo tries it first; 0: never */
/* The live entries of a function in the order in which they are tried: how many, the array is owned by the caller. */
int model_tried(struct func *f, struct entry ***out);
/* Does a lookup like the present one, or one that an entry serves (NULL: none), try this entry?  Functions that were
   compiled with isolate_recompiles do not try the entries of others. */
bool model_in_region(struct entry *e, struct entry *served);
bool model_listed(struct entry *e); /* in Dynamo's cache, if only as one that was invalidated */
/* The entry for this item of Dynamo's list; one that is not known yet is made.  NULL: unknown. */
struct entry *model_entry_item(struct func *f, PyObject *item);
/* Its place in Dynamo's cache, from 1, and an attribute of the item there (a new reference; may be NULL): 0: not there,
   -1: cannot be known. */
int entry_in_cache(struct entry *e, const char *name, PyObject **value);

#endif
