/* SPDX-License-Identifier: BSD-3-Clause */
/* What Dynamo compiled before we came, read from its own tables.  What it does not keep stays unknown: reasons, times,
   and the lines of graphs that the backend alone holds.  Knows no event. */
#ifndef DYNAMO_OBSERVE_EXISTING_H
#define DYNAMO_OBSERVE_EXISTING_H
#include "torch/cdbg_host.h"

void existing_read(void); /* from Dynamo's own tables; cheap to call again */

#endif
