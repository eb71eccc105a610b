/* SPDX-License-Identifier: BSD-3-Clause */
/* The model as a whole: what Dynamo made, as far as it was observed; plain data that outlives Dynamo's objects. */
#include "model/model.h"
#include "model/breaks.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/timing.h"

void model_release(void)
{
	funcs_release();
	entries_release();
	breaks_release();
	timings_release();
}
