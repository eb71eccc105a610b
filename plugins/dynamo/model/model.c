/* SPDX-License-Identifier: BSD-3-Clause */
/* The model as a whole: what Dynamo made, as far as it was seen, plain data that outlives what Dynamo throws away. */
#include "model/model.h"
#include "model/breaks.h"
#include "model/entry.h"
#include "model/func.h"

void model_release(void)
{
	funcs_release();
	entries_release();
	breaks_release();
}
