/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that inductor writes: any text is read, and what is found lies within it. */
#include "fuzz.h"
#include <stdio.h>
#include "../../plugins/dynamo/model/wrapper_text.h"

static void check_piece(const char *text, size_t n, struct piece p)
{
	HOLDS(!p.n || (p.s >= text && p.s + p.n <= text + n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), name[16];
	size_t n = strlen(text);
	struct wrapper_text *w = wrapper_text_read(text);
	const struct wrapper_statement *s;
	int i, k;

	for (i = 0; i < w->nkernels; i++) {
		check_piece(text, n, w->kernel[i].whole);
		check_piece(text, n, w->kernel[i].source);
		check_piece(text, n, w->kernel[i].nodes);
		HOLDS(wrapper_text_kernel(w, w->kernel[i].name.s, w->kernel[i].name.n));
	}
	for (i = 0; i < w->nstatements; i++) {
		s = &w->statement[i];
		check_piece(text, n, s->text);
		check_piece(text, n, s->called);
		check_piece(text, n, s->base);
		check_piece(text, n, s->in_place);
		for (k = 0; k < s->nwrites; k++)
			check_piece(text, n, s->write[k]);
		HOLDS(wrapper_text_at(w, s->line) == s);
		snprintf(name, sizeof(name), "buf%d", i % 8);
		s = wrapper_text_maker(w, name);
		HOLDS(!s || s->kind == WRAPPER_CALL || s->kind == WRAPPER_SUBGRAPH);
	}
	wrapper_text_free(w);
	free(text);
	return 0;
}
