/* SPDX-License-Identifier: BSD-3-Clause */
/* One function compiled by another backend of torch, which what it had in Dynamo's cache makes way for. */
#ifndef DYNAMO_EDIT_BACKEND_H
#define DYNAMO_EDIT_BACKEND_H
#include "torch/host.h"

struct call;
struct func;
struct override;

/* In force on it, or, of a resume function, on the one that it belongs to; or NULL. */
struct override *backend_of(struct func *f);
int backend_do(struct override *o, struct err *err);
int backend_undo(struct override *o, struct err *err);
/* This call of Dynamo's _compile, for this code: with the compiler that the user set, if he set one. */
void backend_give(struct call *call, PyObject *code);

#endif
