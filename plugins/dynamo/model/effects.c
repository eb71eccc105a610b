/* SPDX-License-Identifier: BSD-3-Clause */
/* Side effects that generated code replays after its graph. */
#include "model/effects.h"
#include <stdlib.h>

void effects_free(struct effect *e)
{
	struct effect *next;

	for (; e; e = next) {
		next = e->next;
		free(e->target);
		free(e);
	}
}
