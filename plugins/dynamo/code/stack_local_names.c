/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables that generated code keeps in a list on its value stack, from before the broken instruction until the resume
   function is called (torch 2.9 and later).  Their names are read from the code after the break, which takes the resume
   function's arguments from the list.  And those that a resume function was given in a list.  Knows no frame. */
#include "code/dynamo_code.h"
#include "model/entry.h"
#include "model/func.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 }; /* values in the list */

static bool op_is(const struct code *c, int i, const char *name)
{
	return i < c->n && !strcmp(host->code.op_name(c->instr[i].op), name);
}

/* The small number that is loaded here; -1: none. */
static long loaded_number(struct code *c, int i)
{
	struct buf b = { 0 };
	long n = -1;
	char *end;

	if (op_is(c, i, "LOAD_CONST") || op_is(c, i, "LOAD_SMALL_INT")) {
		host->code.arg_text(c, i, &b);
		n = strtol(buf_str(&b), &end, 10);
		if (end == buf_str(&b) || *end || n < 0 || n > MOST)
			n = -1;
	}
	buf_release(&b);
	return n;
}

/* Where a slice begins that is stored to next and whose bounds are one constant, as torch has it on CPython 3.14.
   -1: there is none. */
static long constant_slice_start(struct code *c, int i)
{
	PyObject *v = op_is(c, i, "LOAD_CONST") && op_is(c, i + 1, "STORE_SUBSCR") ?
			      (PyObject *)host->code.arg_object(c, i) :
			      NULL;
	PyObject *start = v && PySlice_Check(v) ? ((PySliceObject *)v)->start : NULL;
	long n = start && PyLong_Check(start) ? PyLong_AsLong(start) : -1;

	PyErr_Clear();
	return n >= 0 && n <= MOST ? n : -1;
}

static bool is_subscript(const struct code *c, int i)
{
	return op_is(c, i, "BINARY_SUBSCR") || op_is(c, i, "BINARY_OP");
}

/*
 * How many items of a list are put into a new one from here on? COPY, the index, the subscript, SWAP for each; then the
 * list is dropped and the new one is built.  at: the indexes.
 */
static int taken(struct code *c, int i, long *at)
{
	int n;

	for (n = 0; n < MOST && op_is(c, i, "COPY"); n++, i += 4) {
		at[n] = loaded_number(c, i + 1);
		if (at[n] < 0 || !is_subscript(c, i + 2) || !op_is(c, i + 3, "SWAP"))
			break;
	}
	return op_is(c, i, "POP_TOP") && op_is(c, i + 1, "BUILD_LIST") && c->instr[i + 1].arg == n ? n : 0;
}

/* Do n items of a list replace its others, from here on?  Then their list is stored below `slots` values of the stack:
   returns slots or -1.  at: the indexes. */
static long picks(struct code *c, int i, int n, long *at)
{
	long slots;

	if (taken(c, i, at) != n)
		return -1;
	i += 4 * n;
	if (!op_is(c, i + 2, "SWAP"))
		return -1;
	slots = constant_slice_start(c, i + 3);
	if (slots >= 0)
		return slots;
	if (!op_is(c, i + 4, "LOAD_CONST"))
		return -1;
	return op_is(c, i + 5, "BUILD_SLICE") || op_is(c, i + 5, "STORE_SLICE") ? loaded_number(c, i + 3) : -1;
}

/* The last resume function that is loaded in this region, if it continues the entry's own function: inlined ones, with
   torch's nested_graph_breaks, are loaded before it. */
static const struct resume *loaded_in(const struct entry *e, struct code *c, const struct region *r)
{
	const struct resume *found = NULL;
	PyObject *name;
	int i, k;

	for (i = r->start; i < r->end; i++) {
		name = op_is(c, i, "LOAD_GLOBAL") ? (PyObject *)host->code.arg_object(c, i) : NULL;
		for (k = 0; name && PyUnicode_Check(name) && k < e->made.nresumes; k++)
			if (!PyUnicode_CompareWithASCIIString(name, e->made.resume[k].global))
				found = &e->made.resume[k];
	}
	/* a frame that only returns what it gets is not continued: then the last one continues another */
	return found && model_root(found->func) == model_root(e->func) ? found : NULL;
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
static int changes(struct code *c, const struct region *r, int index)
{
	int i, n = 0;

	for (i = r->start; i < index; i++)
		n += op_is(c, i, "STORE_SLICE") ||
		     (i + 1 < index && ((op_is(c, i, "BUILD_SLICE") && op_is(c, i + 1, "STORE_SUBSCR")) ||
					constant_slice_start(c, i) >= 0));
	return n;
}

/* Where the lists of the frames that are continued are taken from those of all frames, the innermost first. */
struct choice {
	int index; /* of the first instruction; -1: there is none */
	int frames, chosen;
};

static struct choice choice_in(struct code *c, const struct region *r)
{
	struct choice out = { .index = -1 };
	long at[MOST] = { 0 };
	int i, n, end;

	for (i = r->start; i < r->end; i++) {
		n = taken(c, i, at);
		end = i + 4 * n + 2;
		/* the same follows for the frames' cells */
		if (n && op_is(c, end, "SWAP") && taken(c, end + 1, at) == n)
			return (struct choice){ .index = i, .frames = (int)at[n - 1] + 1, .chosen = n };
	}
	return out;
}

/* "stack0, x, y" as ",x,y": the values of the stack, or all but one of them, have no names. */
static void add_variables(struct buf *out, const char *live, bool one_less)
{
	const char *s;

	for (s = live; s < variables(live); s++)
		if (*s == ',' && one_less)
			one_less = false;
		else if (*s == ',')
			buf_addc(out, ',');
	for (; *s; s++)
		if (*s != ' ')
			buf_addc(out, *s);
}

/* With inlined frames the function's own list is the last one, and has the arguments of its resume function in order
   until it is removed from them.  If no other frame is continued, what the call returns is put into it. */
static char *outer_list(struct code *c, const struct region *r, int index, const struct resume *to,
			struct choice choice)
{
	int i, lists = index > choice.index + 4 * choice.chosen ? choice.chosen : choice.frames;
	bool one_less = choice.chosen == 1 && !changes(c, r, index);
	struct buf all = { 0 };
	char *live;

	for (i = r->start; i < index; i++)
		if (op_is(c, i, "DELETE_SUBSCR"))
			return NULL;
	live = call_text_live(to->func);
	while (--lists > 0)
		buf_addc(&all, ';');
	add_variables(&all, live, one_less);
	free(live);
	return buf_detach(&all);
}

/* Once its items are those that the resume function gets: they are removed from the list of all frames, and become the
   last arguments of its call. */
static char *arguments_list(struct code *c, const struct region *r, int index, const struct resume *to)
{
	struct buf all = { 0 };
	char *live;
	int i, before;

	for (i = r->start; i < index; i++) {
		if (op_is(c, i, "DELETE_SUBSCR"))
			buf_adds(&all, ".");
		if (!op_is(c, i, "LIST_EXTEND") || !all.len)
			continue;
		for (before = i > 1 && op_is(c, i - 2, "BUILD_LIST") ? c->instr[i - 2].arg : 0; before > 0; before--)
			buf_adds(&all, ",");
	}
	if (all.len == 1 &&
	    op_is(c, index - 1, "BUILD_LIST")) /* the new list is above it, perhaps with as many items */
		buf_adds(&all, ".");
	live = call_text_live(to->func);
	add_variables(&all, live, false);
	free(live);
	return buf_detach(&all);
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

/* Of all n regions: the names, where each finds the values in the one list; path: the one that the frame takes. */
static char *single_list(struct entry *e, struct code *c, const struct region *r, int n, int path, int changed)
{
	char *names[MOST] = { NULL }, *live, *list = NULL;
	const struct resume *to;
	long slots = 0, before;
	int i;

	for (i = 0; i < n; i++) {
		to = r[i].kind == REGION_RESUME_CALL ? loaded_in(e, c, &r[i]) : NULL;
		live = to ? call_text_live(to->func) : NULL;
		before = live ? place_names(c, &r[i], variables(live), names) : 0;
		slots = i == path ? before : slots;
		free(live);
	}
	if (slots >= 0)
		list = list_of(names, changed ? slots : 0);
	for (i = 0; i < MOST; i++)
		free(names[i]);
	return list;
}

/* The names for the list that a resume function was given, "__resume_frame_values=,x,y"; NULL: it was not. */
static const char *given_list(const struct entry *e, struct code *c)
{
	static const char list[] = "__resume_frame_values";
	const PyCodeObject *co = (PyCodeObject *)c->co;
	struct buf all = { 0 };
	const char *text;
	char *live;
	int i;

	for (i = 0; i < co->co_argcount; i++)
		if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(co->co_localsplusnames, i), list))
			break;
	if (!e->func->root || i == co->co_argcount)
		return NULL;
	live = call_text_live(e->func);
	buf_addf(&all, "%s=", list);
	add_variables(&all, live, false);
	free(live);
	text = py_text_keep(buf_str(&all));
	buf_release(&all);
	return text;
}

/* Those for the list that a resume function is called with. */
static const char *passed_list(struct entry *e, struct code *c, int index)
{
	const struct region *r, *here = regions_at(e, index);
	int n = regions_of(e, &r), i, path = -1, changed = 0;
	struct choice choice = { .index = -1 };
	const struct resume *to;
	const char *text = NULL;
	char *list, *alone;

	for (i = n - 1; i >= 0; i--) /* each way out of a conditional break has one */
		if (r[i].kind == REGION_RESUME_CALL && (!here || here->kind != REGION_RESUME_CALL || here == &r[i]))
			path = i;
	if (path >= 0 && here == &r[path])
		changed = changes(c, here, index);
	else if (!here || here->kind != REGION_BREAK)
		return NULL;
	if (path >= 0)
		choice = choice_in(c, &r[path]);
	if (choice.frames > 1) {
		to = loaded_in(e, c, &r[path]);
		list = to ? outer_list(c, &r[path], index, to, choice) : NULL;
	} else if (changed < 2) {
		list = single_list(e, c, r, n, path, changed);
	} else {
		to = loaded_in(e, c, &r[path]);
		list = to ? arguments_list(c, &r[path], index, to) : NULL;
	}
	/* taken out of the list of one frame, to be put into a new one */
	alone = list && *list != '.' && *list != ';' && op_is(c, index, "BUILD_LIST") && c->instr[index].arg == 1 ?
			mem_fmt(".%s", list) :
			NULL;
	if (list)
		text = py_text_keep(alone ? alone : list);
	free(alone);
	free(list);
	return text;
}

const char *stack_local_names(struct entry *e, struct code *c, int index)
{
	const char *names = passed_list(e, c, index);

	return names ? names : given_list(e, c);
}
