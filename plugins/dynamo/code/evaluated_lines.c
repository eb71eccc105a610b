/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lines and which inlined functions Dynamo evaluated when it compiled an entry: as recorded then, or, for an
   entry that is older than cdbg, according to its code. */
#include "code/dynamo_code.h"
#include "code/locate.h"
#include "model/entry.h"
#include "model/evaluated.h"
#include "model/func.h"
#include "model/qualname.h"
#include "torch/py_text.h"
#include <stdlib.h>

/* The end of the entry's piece of the function, where its resume functions continue. */
static bool goes_on(const struct entry *e, int offset)
{
	int i;

	for (i = 0; i < e->made.nresumes; i++)
		if (e->made.resume[i].offset == offset)
			return true;
	return false;
}

/* For entries compiled before cdbg was loaded: does the code that Dynamo may have gone over, from the start of the
   traced code to the break, have an instruction on this line? */
static bool went_over(const struct entry *e, int line)
{
	struct code *c = host->code.get((struct py_code *)e->func->co);
	bool *seen, found = false;
	int *todo, n = 0, i, next[2], k;

	host->code.decode(c);
	seen = mem_alloc((size_t)(c->n + 1) * sizeof(*seen));
	todo = mem_alloc((size_t)(2 * c->n + 2) * sizeof(*todo));
	todo[n++] = locate_first(c);
	while (n && !found) {
		i = todo[--n];
		if (i < 0 || i >= c->n || seen[i] || goes_on(e, c->instr[i].offset))
			continue;
		seen[i] = true;
		found = c->instr[i].line == line && c->instr[i].col >= 0;
		next[0] = c->instr[i].target;
		next[1] = host->code.op_ends(c->instr[i].op) ? -1 : i + 1;
		for (k = 0; k < 2; k++)
			todo[n++] = next[k];
	}
	free(todo);
	free(seen);
	return found;
}

bool evaluated_line(const struct entry *e, const char *file, int line, const char **inlined)
{
	const struct evaluated *v;

	*inlined = NULL;
	if (!e->made.evaluated)
		return e->func->co && host->files.fits(file, e->func->file) && went_over(e, line);
	v = evaluated_at(e->made.evaluated, file, line);
	*inlined = v && !v->own ? v->function : NULL;
	return v != NULL;
}

bool evaluated_inlined(const struct entry *e, PyCodeObject *co)
{
	const char *file = py_text_utf8_kept(co->co_filename), *function = qualname_plain(co);
	const struct evaluated *v;

	for (v = e->made.evaluated; v; v = v->next)
		if (!v->own && v->first == co->co_firstlineno && v->file == file && v->function == function)
			return true;
	return false;
}
