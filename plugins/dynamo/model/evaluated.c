/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that Dynamo evaluated when it compiled an entry. */
#include "model/evaluated.h"
#include <stdlib.h>

const struct evaluated *evaluated_at(const struct evaluated *v, const char *file, int line)
{
	int at;

	for (; v; v = v->next) {
		at = line - v->first;
		if (at >= 0 && at / 8 < v->nbytes && v->bits[at / 8] >> at % 8 & 1 && host->files.fits(file, v->file))
			return v;
	}
	return NULL;
}

void evaluated_free(struct evaluated *v)
{
	struct evaluated *next;

	for (; v; v = next) {
		next = v->next;
		free(v->bits);
		free(v);
	}
}
