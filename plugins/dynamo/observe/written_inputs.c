/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the inputs that a graph writes by its nodes: see dynamo_observe.h.  The code itself is not read. */
#include "model/graph.h"
#include "model/stages.h"
#include "observe/dynamo_observe.h"
#include "torch/py_text.h"
#include <string.h>

/* "aten.copy_.default": after AOTAutograd, which makes others of what the program writes in place, few are left. */
static bool writes_first(const struct nodes *g, const struct node *n)
{
	const char *end = strrchr(n->target, '.');

	return !strcmp(n->op, "call_function") && n->nin && end && end > n->target && end[-1] == '_' &&
	       !strcmp(g->node[n->in[0]].op, "placeholder");
}

/* What inductor records of the buffer that a node is computed in: all nodes that take part. */
static const char *all_of(const struct stage *code, const char *node)
{
	int i;

	for (i = 0; i < code->norigins; i++)
		if (py_text_lists(code->origin[i].all, node))
			return code->origin[i].all;
	return node;
}

void written_inputs_add(struct stage *code, const struct nodes *g)
{
	size_t cap = (size_t)code->norigins;
	const struct node *n, *value;
	int i;

	for (i = 0; g && i < g->n; i++) {
		n = &g->node[i];
		if (!writes_first(g, n))
			continue;
		value = strncmp(n->target, "aten.copy_.", 11) || n->nin < 2 ? n : &g->node[n->in[1]];
		if (!strcmp(value->op, "placeholder"))
			value = n;
		code->origin = mem_grow(code->origin, &cap, (size_t)code->norigins + 1, sizeof(*code->origin));
		code->origin[code->norigins++] = (struct origin){
			.buffer = mem_str(g->node[n->in[0]].name),
			.node = mem_str(value->name),
			.all = mem_str(value == n ? n->name : all_of(code, value->name)),
		};
	}
}
