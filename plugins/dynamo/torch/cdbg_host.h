/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of functions of cdbg that the plugin calls. */
#ifndef DYNAMO_TORCH_CDBG_HOST_H
#define DYNAMO_TORCH_CDBG_HOST_H
#include <Python.h>
#include <frameobject.h>
#include "plugin.h"

extern const struct cdbg_host *host; /* set by init, before anything else is called */

#endif
