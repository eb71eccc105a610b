/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes the entries of a function and of its resume functions from the cache, and restores them; also runs a function
   in eager mode.  Knows no command. */
#ifndef DYNAMO_EDIT_STASH_H
#define DYNAMO_EDIT_STASH_H
#include "torch/cdbg_host.h"

struct func;
struct override;

/* Removes all entries of the override's function and of its resume functions from the cache; -1 with err: none
   was removed. */
int stash_take(struct override *o, struct err *err);
int stash_back(struct override *o, struct err *err);		    /* restores them in an empty cache */
size_t stash_count(const struct override *o, const struct func *f); /* entries of this function; NULL: of all */
bool stash_has(const struct override *o, PyCodeObject *generated);
void stash_free(struct override *o);
int stash_eager_do(struct override *o, struct err *err);
int stash_eager_undo(struct override *o, struct err *err);

#endif
