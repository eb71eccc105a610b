/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages that a backend made from a captured graph, copied as plain data. */
#include "model/stages.h"
#include "model/graph.h"
#include <stdlib.h>

void stage_free(struct stage *s)
{
	if (s->copy)
		graphs_free(s->copy);
	for (; s->norigins; s->norigins--) {
		free(s->origin[s->norigins - 1].buffer);
		free(s->origin[s->norigins - 1].node);
		free(s->origin[s->norigins - 1].all);
		free(s->origin[s->norigins - 1].line);
	}
	free(s->origin);
	free(s->text);
	free(s->graph);
	free(s);
}

void stages_free(struct stage *s)
{
	struct stage *next;

	for (; s; s = next) {
		next = s->next;
		stage_free(s);
	}
}

void stages_name(struct stage *s, const char *graph)
{
	for (; s && graph; s = s->next)
		if (!*s->graph) {
			free(s->graph);
			s->graph = mem_str(graph);
		}
}
