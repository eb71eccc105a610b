/* SPDX-License-Identifier: BSD-3-Clause */
/* A function that was inlined into an entry: its lines, its call, and the remark of a breakpoint in it.  Knows no
   breakpoint. */
#include "code/dynamo_code.h"
#include "code/locate.h"
#include "model/breaks.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"
#include "model/source_line.h"
#include "torch/py_text.h"

bool inlined_line_of(struct code *c, const struct source_line *s)
{
	PyCodeObject *co = (PyCodeObject *)c->co;
	int i;

	/* the model has each text once */
	if (py_text_utf8_kept(co->co_name) != s->function || py_text_utf8_kept(co->co_filename) != s->file)
		return false;
	host->code.decode(c);
	for (i = locate_first(c); i < c->n; i++)
		if (c->instr[i].line == s->line)
			return true;
	return false;
}

/* The line of the entry's own function whose call was inlined; 0: not known. */
static int inlined_call(struct entry *e, struct code *c)
{
	const struct source_line *own;
	const struct nodes *nodes;
	struct breakage *b;
	int g, i, k;

	for (g = 0; g < e->made.ngraphs; g++) {
		nodes = e->made.graph[g].copy;
		for (i = 0; nodes && i < nodes->n; i++) {
			own = graphs_own(nodes, &nodes->node[i]);
			for (k = 1; own && k < nodes->node[i].nspots; k++)
				if (inlined_line_of(c, &nodes->spot[nodes->node[i].spot + k]))
					return own->line;
		}
	}
	for (b = model_breaks; b; b = b->next)
		for (i = 1; breaks_of(b, e) && i < b->nstack; i++)
			if (inlined_line_of(c, &b->stack[i]))
				return b->stack[0].line;
	return 0;
}

char *inlined_note(struct entry *e, struct code *c, const struct region *r)
{
	const char *name = qualname_plain((PyCodeObject *)c->co), *in = qualname_func(model_root(e->func));
	int line = inlined_call(e, c);

	if (!line)
		return mem_fmt("%s is inlined in %s: it stops at the %s of %s", name, in,
			       host->code.region_name(r->kind), e->id);
	return mem_fmt("%s is inlined in %s: it stops at the %s of %s; its own code would run in line %d", name, in,
		       host->code.region_name(r->kind), e->id, line);
}
