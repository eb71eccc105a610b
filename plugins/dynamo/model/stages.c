/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages that a backend made from a captured graph, copied as plain data. */
#include "model/stages.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/wrapper_text.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

const struct stage *stages_of(const struct entry *e)
{
	struct stage *s;
	void (*read)(const struct entry *e, struct stage *s);

	for (s = e->made.stages; s; s = s->next) {
		read = s->read;
		s->read = NULL;
		if (read)
			read(e, s);
	}
	return e->made.stages;
}

void stages_free_origins(struct origin *origin, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		free(origin[i].buffer);
		free(origin[i].node);
		free(origin[i].all);
	}
	free(origin);
}

void stage_free(struct stage *s)
{
	if (s->ran)
		stage_free(s->ran);
	if (s->copy)
		graphs_free(s->copy);
	stages_free_origins(s->origin, s->norigins);
	wrapper_text_free(s->code);
	free(s->text);
	free(s->graph);
	free(s);
}

const struct nodes *stages_captured(const struct entry *e, const struct stage *s)
{
	int i;

	for (i = 0; i < e->made.ngraphs; i++)
		if (!strcmp(e->made.graph[i].full, s->graph))
			return e->made.graph[i].copy;
	return NULL;
}

const struct nodes *stages_lowered(const struct stage *all, const struct stage *code)
{
	const char *name = strstr(code->name, "backward") ? "post-grad-backward" : "post-grad";
	const struct stage *s;
	bool listed = false;

	for (s = all; s; s = s->next)
		listed |= s == code;
	for (s = all; s; s = s->next)
		if (!strcmp(s->graph, code->graph) && !strcmp(s->name, name))
			return s->ran && !listed ? s->ran->copy : s->copy;
	return NULL;
}

const char *stages_plain_code(const char *text)
{
	return py_text_begins_with(text, "# AOT ID:") ? text + strcspn(text, "\n") : text;
}

const struct wrapper_text *stages_wrapper(const struct stage *of)
{
	struct stage *s = (struct stage *)of; /* it stays the same for who reads it */

	if (!s->code)
		s->code = wrapper_text_read(s->text ? s->text : "");
	return s->code;
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
	char *full;

	for (; s && graph; s = s->next)
		if (!*s->graph || *s->graph == '.') { /* of the graph, or of a part, ".submod_0" */
			full = mem_fmt("%s%s", graph, s->graph);
			free(s->graph);
			s->graph = full;
		}
}
