/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles one function with another backend of torch.  Removes the function's entries from Dynamo's
   cache first. */
#ifndef DYNAMO_EDIT_BACKEND_H
#define DYNAMO_EDIT_BACKEND_H
#include "torch/cdbg_host.h"

struct call;
struct func;
struct override;

/* The override in force on the function, or, for a resume function, on the function that it belongs to; or NULL. */
struct override *backend_of(struct func *f);
int backend_do(struct override *o, struct err *err);
int backend_undo(struct override *o, struct err *err);
/* Called before Dynamo's _compile compiles this code: passes it the compiler that the user set for the
   function, if any. */
void backend_give(struct call *call, PyObject *code);

#endif
