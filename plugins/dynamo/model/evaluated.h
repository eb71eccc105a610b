/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that Dynamo evaluated when it compiled an entry. */
#ifndef DYNAMO_MODEL_EVALUATED_H
#define DYNAMO_MODEL_EVALUATED_H
#include "torch/cdbg_host.h"

/* Of one code object. */
struct evaluated {
	struct evaluated *next;
	const char *file, *function; /* the model's texts; the function's qualified name */
	int first;		     /* line of bit 0 */
	bool own;		     /* of the compiled function, not of one inlined in it */
	unsigned char *bits;
	int nbytes;
	bool told, counts; /* counts, once told: source_line_counts() of the file */
};

void evaluated_free(struct evaluated *v);
/* The record that has this line of the file; NULL: none has. */
const struct evaluated *evaluated_at(const struct evaluated *v, const char *file, int line);

#endif
