/* SPDX-License-Identifier: BSD-3-Clause */
/* Command backend, also written `set backend`, and its view: compiles one function with another backend of torch, and
   removes its entries from Dynamo's cache for that. */
#ifndef DYNAMO_CMD_CMD_BACKEND_H
#define DYNAMO_CMD_CMD_BACKEND_H
#include "torch/cdbg_host.h"

extern const struct cmd_def cmd_backend[];
extern const struct view_ops view_backends;

#endif
