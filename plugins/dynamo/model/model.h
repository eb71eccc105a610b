/* SPDX-License-Identifier: BSD-3-Clause */
/* The model as a whole: what Dynamo made, as far as it was observed; plain data that outlives Dynamo's objects. */
#ifndef DYNAMO_MODEL_MODEL_H
#define DYNAMO_MODEL_MODEL_H
#include "torch/cdbg_host.h"

void model_release(void); /* releases everything */

#endif
