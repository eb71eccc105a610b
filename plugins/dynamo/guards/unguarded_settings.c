/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of torch that have changed since an entry was compiled: those that act on what was made for it.  No guard
   covers any of them.  Runs none of the program's code. */
#include "guards/unguarded.h"
#include "model/entry.h"
#include "model/graph.h"
#include "model/reads.h"
#include "model/stages.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all rows of settings name as what was read. */
static const struct read a_setting = { .kind = READ_SETTING, .key = { .length = -1 } };

static bool has_stage(const struct entry *e, enum torch_reader reader)
{
	const struct stage *s;

	for (s = e->made.stages; s; s = s->next)
		if (reader == READS_INDUCTOR ? py_text_begins_with(s->name, "kernel") : strcmp(s->name, "backend") != 0)
			return true;
	return false;
}

/* Does the name of some operator contain one of these words? */
static bool has_operator(const struct nodes *g, const char *words)
{
	char word[40];
	const char *p;
	int i;

	for (p = words; g && *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(p, " "), p);
		for (i = 0; i < g->n; i++)
			if (py_text_begins_with(g->node[i].op, "call_") && strstr(g->node[i].target, word))
				return true;
	}
	for (i = 0; g && i < g->nsub; i++)
		if (has_operator(g->sub[i].nodes, words))
			return true;
	return false;
}

static bool counts_for(const struct entry *e, const struct torch_state *state)
{
	int i;

	if (!has_stage(e, state->reader))
		return false;
	for (i = 0; i < e->made.ngraphs; i++)
		if (has_operator(e->made.graph[i].copy, state->nodes))
			return true;
	return false;
}

static void put(struct unguarded **list, int *n, size_t *cap, const char *name, const char *was, const char *is)
{
	struct unguarded *u = unguarded_put(&a_setting, list, n, cap);

	u->source = mem_str(name);
	u->was = mem_str(was);
	u->is = mem_str(is);
	u->why = "no guard covers this setting of torch";
	u->group = "settings of torch";
}

static bool are_deterministic(void)
{
	PyObject *get = attrs_get(ATTR_DETERMINISTIC), *on = get ? PyObject_CallNoArgs(get) : NULL;
	bool yes = on == Py_True;

	PyErr_Clear();
	Py_XDECREF(on);
	Py_XDECREF(get);
	return yes;
}

int unguarded_settings(const struct entry *e, struct unguarded **list, int n)
{
	static const char *const said[] = { "False", "True" };
	const struct reads *r = e->made.reads;
	PyObject *copies = PyTuple_New(SETTINGS), *rows, *row, *copy;
	signed char now[TORCH_STATES];
	size_t cap = (size_t)n;
	Py_ssize_t i;

	torch_state_read(now);
	for (i = 0; i < TORCH_STATES; i++)
		if (r->state[i] >= 0 && now[i] >= 0 && now[i] != r->state[i] && counts_for(e, &torch_states[i]) &&
		    (!torch_states[i].deterministic || are_deterministic()))
			put(list, &n, &cap, torch_states[i].name, said[r->state[i]], said[now[i]]);
	for (i = 0; copies && i < SETTINGS; i++) {
		copy = i == SETTINGS_DYNAMO || has_stage(e, i == SETTINGS_INDUCTOR ? READS_INDUCTOR : READS_AOT) ?
			       r->settings[i] :
			       NULL;
		PyTuple_SET_ITEM(copies, i, Py_NewRef(copy ? copy : Py_None));
	}
	rows = package_call("settings", "changed", copies ? PyTuple_Pack(1, copies) : NULL);
	for (i = 0; rows && i < PyList_GET_SIZE(rows); i++) {
		row = PyList_GET_ITEM(rows, i);
		put(list, &n, &cap, py_text_utf8_kept(PyTuple_GET_ITEM(row, 0)),
		    py_text_utf8_kept(PyTuple_GET_ITEM(row, 1)), py_text_utf8_kept(PyTuple_GET_ITEM(row, 2)));
	}
	Py_XDECREF(rows);
	Py_XDECREF(copies);
	return n;
}
