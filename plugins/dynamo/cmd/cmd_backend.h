/* SPDX-License-Identifier: BSD-3-Clause */
/* Command backend, which is also said as `set backend`, and its view: one function compiled by another backend of
   torch.  What it had in Dynamo's cache is set aside meanwhile. */
#ifndef DYNAMO_CMD_CMD_BACKEND_H
#define DYNAMO_CMD_CMD_BACKEND_H
#include "torch/host.h"

extern const struct cmd_def cmd_backend[];
extern const struct view_ops view_backends;

#endif
