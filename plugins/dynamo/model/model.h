/* SPDX-License-Identifier: BSD-3-Clause */
/* The model as a whole: what Dynamo made, as far as it was seen, plain data that outlives what Dynamo throws away. */
#ifndef DYNAMO_MODEL_MODEL_H
#define DYNAMO_MODEL_MODEL_H
#include "torch/cdbg_host.h"

void model_release(void); /* everything is forgotten, every reference dropped */

#endif
