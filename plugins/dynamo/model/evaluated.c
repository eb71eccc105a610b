/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that Dynamo evaluated when it compiled an entry. */
#include "model/evaluated.h"
#include <stdlib.h>

void evaluated_free(struct evaluated *v)
{
	struct evaluated *next;

	for (; v; v = next) {
		next = v->next;
		free(v->bits);
		free(v);
	}
}
