/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that plugins may call, for plugin.c alone. */
#ifndef CDBG_PLUGIN_HOST_H
#define CDBG_PLUGIN_HOST_H
#include "plugin.h"

extern struct cdbg_host plugin_host; /* its session is set and cleared by plugin.c */

#endif
