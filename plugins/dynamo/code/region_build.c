/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that find regions: reading instructions, adding a region. */
#include "code/region_build.h"
#include <string.h>

bool region_starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

const char *region_op(const struct region_build *b, int i)
{
	return i >= 0 && i < b->c->n ? host->code.op_name(b->c->instr[i].op) : "";
}

bool region_is(const struct region_build *b, int i, const char *name)
{
	return !strcmp(region_op(b, i), name);
}

/* The name that a LOAD_GLOBAL loads, "" for anything else. */
const char *region_global(const struct region_build *b, int i)
{
	PyObject *name = region_is(b, i, "LOAD_GLOBAL") ? (PyObject *)host->code.arg_object(b->c, i) : NULL;
	const char *s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	PyErr_Clear();
	return s ? s : "";
}

int region_find_global(const struct region_build *b, int from, int to, const char *prefix)
{
	for (; from < to; from++)
		if (region_starts(region_global(b, from), prefix))
			return from;
	return -1;
}

bool region_is_jump(const struct region_build *b, int i)
{
	return b->c->instr[i].target >= 0;
}

int region_add(struct region_build *b, enum region_kind kind, int start, int end)
{
	struct region *r;

	if (start >= end)
		return -1;
	if (b->n && b->r[b->n - 1].kind == kind && kind != REGION_RETURN) {
		b->r[b->n - 1].end = end;
		return b->n - 1;
	}
	b->r = mem_grow(b->r, &b->cap, (size_t)b->n + 1, sizeof(*b->r));
	r = &b->r[b->n];
	*r = (struct region){ .start = start, .end = end, .kind = kind, .nodes = -1, .folded = true };
	return b->n++;
}
