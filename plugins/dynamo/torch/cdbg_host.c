/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of functions of cdbg that the plugin calls. */
#include "torch/cdbg_host.h"

const struct cdbg_host *host;
