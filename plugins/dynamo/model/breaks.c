/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph breaks, in the order in which they were compiled. */
#include "model/breaks.h"
#include "torch/py_text.h"
#include "model/entry.h"
#include <string.h>

struct breakage *model_breaks;
static struct breakage **breaks_end = &model_breaks;

struct breakage *model_add_break(void)
{
	static int count;
	struct breakage *b = mem_alloc(sizeof(*b));

	b->number = ++count;
	*breaks_end = b;
	breaks_end = &b->next;
	return b;
}

struct breakage **model_breaks_end(void)
{
	return breaks_end;
}

int breaks_line(const struct breakage *b)
{
	return b->nstack ? b->stack[0].line : b->line;
}

const char *breaks_file(const struct breakage *b)
{
	return b->nstack ? b->stack[0].file : b->file;
}

bool breaks_of(const struct breakage *b, const struct entry *e)
{
	return b->func == e->func && !b->end.failed && b->entry && !strcmp(b->entry, e->id);
}

const char *breaks_state(const struct breakage *b)
{
	return b->end.failed ? "failed" : b->end.skipped ? "skipped" : b->end.resume ? "resumed" : NULL;
}

void breaks_inner(const struct breakage *b, struct buf *out)
{
	int i;

	for (i = 1; i < b->nstack; i++)
		buf_addf(out, ", in %s at %s:%d", b->qualname[i], py_text_file_name(b->stack[i].file),
			 b->stack[i].line);
}

void breaks_release(void)
{
	model_breaks = NULL;
	breaks_end = &model_breaks;
}
