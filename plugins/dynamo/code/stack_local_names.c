/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables that generated code keeps in a list on its value stack, from before the broken instruction until the resume
   function is called (torch 2.9 and later).  Their names are read from the code after the break, which takes the resume
   function's arguments from the list.  Knows no frame. */
#include "code/stack_local_names.h"
#include "code/call_text.h"
#include "code/regions.h"
#include "model/entry.h"
#include "model/func.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 }; /* values in the list */

static bool op_is(const struct code *c, int i, const char *name)
{
	return i < c->n && !strcmp(host->op_name(c->instr[i].op), name);
}

/* The small number that is loaded here; -1: none. */
static long loaded_number(struct code *c, int i)
{
	struct buf b = { 0 };
	long n = -1;
	char *end;

	if (op_is(c, i, "LOAD_CONST") || op_is(c, i, "LOAD_SMALL_INT")) {
		host->code_arg_text(c, i, &b);
		n = strtol(buf_str(&b), &end, 10);
		if (end == buf_str(&b) || *end || n < 0 || n > MOST)
			n = -1;
	}
	buf_release(&b);
	return n;
}

static bool is_subscript(const struct code *c, int i)
{
	return op_is(c, i, "BINARY_SUBSCR") || op_is(c, i, "BINARY_OP");
}

/*
 * Are n items taken from a list that they then replace, from here on? COPY, the index, the subscript, SWAP for each;
 * then their list is stored below `slots` values of the stack.  at: the indexes.  Returns slots or -1.
 */
static long picks(struct code *c, int i, int n, long *at)
{
	int k;

	for (k = 0; k < n; k++, i += 4) {
		at[k] = loaded_number(c, i + 1);
		if (!op_is(c, i, "COPY") || at[k] < 0 || !is_subscript(c, i + 2) || !op_is(c, i + 3, "SWAP"))
			return -1;
	}
	if (!op_is(c, i, "POP_TOP") || !op_is(c, i + 1, "BUILD_LIST") || c->instr[i + 1].arg != n ||
	    !op_is(c, i + 2, "SWAP") || !op_is(c, i + 4, "LOAD_CONST"))
		return -1;
	return op_is(c, i + 5, "BUILD_SLICE") || op_is(c, i + 5, "STORE_SLICE") ? loaded_number(c, i + 3) : -1;
}

static const struct resume *loaded_in(const struct entry *e, struct code *c, const struct region *r)
{
	const struct resume *found = NULL;
	PyObject *name;
	int i, k;

	for (i = r->start; i < r->end; i++) {
		name = op_is(c, i, "LOAD_GLOBAL") ? (PyObject *)host->code_arg_object(c, i) : NULL;
		for (k = 0; name && PyUnicode_Check(name) && k < e->made.nresumes; k++)
			if (!PyUnicode_CompareWithASCIIString(name, e->made.resume[k].global))
				found = &e->made.resume[k];
	}
	return found;
}

/* The variables in this text of a resume function's arguments, after the slots of the stack. */
static const char *variables(const char *live)
{
	while (!strncmp(live, "stack", 5) && live[5] >= '0' && live[5] <= '9')
		live += strcspn(live, ",") + (strchr(live, ',') ? 2 : 0);
	return live;
}

/* Put the names of `live` where the code of this region finds their values; returns how many values of the stack it
   puts before them, -1: it is not known. */
static long place_names(struct code *c, const struct region *r, const char *live, char **names)
{
	const char *s;
	long at[MOST] = { 0 }, slots = -1;
	int n = 0, i, k;

	for (s = live; *s; s++)
		n += *s == ',';
	n += *live != '\0';
	for (i = r->start; n && n <= MOST && i < r->end && slots < 0; i++)
		slots = picks(c, i, n, at);
	for (k = 0, s = live; slots >= 0 && k < n; k++, s += strcspn(s, ","), s += strspn(s, ", "))
		if (at[k] >= slots && at[k] - slots < MOST && !names[at[k] - slots])
			names[at[k] - slots] = mem_strn(s, strcspn(s, ","));
	return slots;
}

/* How often has the list been changed before this instruction?  Once: values of the stack were put before the others.
   Then the variables that the resume function gets replace all others. */
static int changes(const struct code *c, const struct region *r, int index)
{
	int i, n = 0;

	for (i = r->start; i < index; i++)
		n += op_is(c, i, "STORE_SLICE") || (op_is(c, i, "BUILD_SLICE") && op_is(c, i + 1, "STORE_SUBSCR"));
	return n;
}

static char *list_of(char *const *names, long before)
{
	struct buf all = { 0 };
	int i, last = -1;
	char *text;

	for (i = 0; i < MOST; i++)
		last = names[i] ? i : last;
	while (last >= 0 && before-- > 0)
		buf_adds(&all, ",");
	for (i = 0; i <= last; i++)
		buf_addf(&all, "%s%s", i ? "," : "", names[i] ? names[i] : "");
	text = last >= 0 ? mem_str(all.s) : NULL;
	buf_release(&all);
	return text;
}

const char *stack_local_names(struct entry *e, struct code *c, int index)
{
	const struct region *r, *here = regions_at(e, index);
	char *names[MOST] = { NULL }, *live, *list = NULL;
	int n = regions_of(e, &r), i, first = -1, changed = 0;
	const char *text = NULL;
	const struct resume *to;
	long slots = 0, before;

	for (i = n - 1; i >= 0; i--)
		first = r[i].kind == REGION_RESUME_CALL ? i : first;
	if (here && first >= 0 && here == &r[first])
		changed = changes(c, here, index);
	else if (!here || here->kind != REGION_BREAK)
		return NULL;
	for (i = first; i >= 0 && i < n; i++) {
		to = r[i].kind == REGION_RESUME_CALL ? loaded_in(e, c, &r[i]) : NULL;
		live = to ? call_text_live(to->func) : NULL;
		before = live ? place_names(c, &r[i], variables(live), names) : 0;
		slots = i == first ? before : slots;
		free(live);
	}
	if (changed < 2 && slots >= 0)
		list = list_of(names, changed ? slots : 0);
	if (list)
		text = model_text(list);
	free(list);
	for (i = 0; i < MOST; i++)
		free(names[i]);
	return text;
}
