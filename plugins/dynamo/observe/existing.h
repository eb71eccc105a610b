/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads from Dynamo's own tables what it compiled before cdbg was loaded.  What Dynamo does not keep stays unknown:
   reasons, times, and the lines of graphs that only the backend holds.  Knows no event. */
#ifndef DYNAMO_OBSERVE_EXISTING_H
#define DYNAMO_OBSERVE_EXISTING_H
#include "torch/cdbg_host.h"

void existing_read(void); /* reads Dynamo's own tables; cheap to call again */

#endif
