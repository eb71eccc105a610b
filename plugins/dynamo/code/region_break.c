/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the graph breaks in generated code: the instruction that broke it, the calls of resume functions. */
#include "code/dynamo_code.h"
#include "code/region_break.h"
#include "model/breaks.h"
#include "model/entry.h"
#include "model/func.h"
#include <string.h>

static bool placed(const struct region_build *b, int i)
{
	return b->c->instr[i].col >= 0 && b->c->instr[i].line > 0;
}

/* The packing that ends the outputs: live values in a list of frames.  The index after it, or -1. */
int region_packed(const struct region_build *b, int from)
{
	int i, end = -1;

	for (i = from; i + 2 < b->c->n; i++)
		if (region_is(b, i, "LIST_EXTEND") && region_is(b, i + 1, "POP_TOP") &&
		    region_is(b, i + 2, "BUILD_LIST")) {
			end = i + 3;
			break;
		}
	if (end < 0)
		return -1;
	while (region_is(b, end, "SWAP"))
		end++;
	if (region_is(b, end, "DELETE_FAST"))
		end++;
	return end;
}

static const struct resume *resume_named(const struct region_build *b, const char *global)
{
	int i;

	for (i = 0; i < b->e->made.nresumes; i++)
		if (global && !strcmp(b->e->made.resume[i].global, global))
			return &b->e->made.resume[i];
	return NULL;
}

/* The resume function that is loaded here: by its name, or (torch 2.6) as the code from which a
   function is made. */
static const char *resume_loaded(const struct region_build *b, int i)
{
	const char *global = region_global(b, i);
	PyObject *value = region_is(b, i, "LOAD_CONST") ? (PyObject *)host->code.arg_object(b->c, i) : NULL;
	int k;

	if (region_starts(global, "__resume_at"))
		return global;
	for (k = 0; value && k < b->e->made.nresumes; k++)
		if ((PyObject *)b->e->made.resume[k].func->co == value)
			return b->e->made.resume[k].global;
	return NULL;
}

static int find_resume(const struct region_build *b, int from, int to)
{
	for (; from < to; from++)
		if (resume_loaded(b, from))
			return from;
	return -1;
}

int region_return_from(const struct region_build *b, int from)
{
	while (from < b->c->n && !region_is(b, from, "RETURN_VALUE"))
		from++;
	return from;
}

/* The break that was met when this was compiled, or NULL. */
static const struct breakage *broke(const struct entry *e)
{
	const struct breakage *s;

	for (s = model_breaks; s; s = s->next)
		if (breaks_of(s, e))
			break;
	return s;
}

static bool may_break(const struct region_build *b, int i)
{
	return region_is_jump(b, i) || region_is(b, i, "CALL") || region_is(b, i, "CALL_KW") ||
	       region_is(b, i, "CALL_FUNCTION_EX") || region_is(b, i, "STORE_ATTR") || region_is(b, i, "DELETE_ATTR") ||
	       region_is(b, i, "STORE_SUBSCR");
}

/* The name that an instruction of this kind has for its operand; "" for any other. */
const char *region_name_in(const struct region_build *b, int i, const char *op_name)
{
	PyObject *name = region_is(b, i, op_name) ? (PyObject *)host->code.arg_object(b->c, i) : NULL;
	const char *s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	PyErr_Clear();
	return s ? s : "";
}

/* Does a context manager that was entered for the broken instruction begin to be left here? */
static bool leaves_context(const struct region_build *b, int i)
{
	return region_starts(region_name_in(b, i, "LOAD_FAST"), "___context_manager") &&
	       !strcmp(region_name_in(b, i + 1, "LOAD_ATTR"), "__exit__");
}

/* torch 2.6 packs nothing, and columns do not help: the broken instruction is the last one before the call of the first
   resume function, or before the contexts around it are exited. */
static void find_break_before(struct region_build *b, int from, int resume)
{
	int i;

	for (i = from; i < resume && !leaves_context(b, i); i++)
		;
	if (i < resume) {
		while (i > from && region_is(b, i - 1, "NOP"))
			i--;
	} else if (!region_starts(region_global(b, resume), "__resume_at")) {
		while (i > from &&
		       (region_is(b, i - 1, "BUILD_TUPLE") || region_is(b, i - 1, "LOAD_CLOSURE") ||
			(region_is(b, i - 1, "LOAD_FAST") && b->c->instr[i - 1].line == b->c->instr[i].line)))
			i--;
	}
	b->broken = i > from ? i - 1 : -1;
}

/* No code continues after it: its result is returned.  Recorded breaks distinguish it from a call that broke nothing;
   it is the only such call, which distinguishes it from copied bytecode. */
static void find_break_last(struct region_build *b, int from)
{
	int i, last = region_return_from(b, from) - 1;

	for (i = from; i < last && !may_break(b, i); i++)
		;
	if (i == last && may_break(b, i) && broke(b->e))
		b->broken = i;
}

/*
 * What Dynamo makes has no columns; what it copies from the user's code has.  One instruction of that kind: the broken
 * one.  More: the rest of the user's bytecode, run as it is.  Where Python keeps no columns at all, what follows the
 * packing tells.
 */
void region_find_break(struct region_build *b)
{
	int from = b->graph_end >= 0 ? b->graph_end : b->first, i, n = 0, at = -1, resume;

	b->broken = b->original = -1;
	for (i = from; i < b->c->n; i++)
		if (placed(b, i)) {
			at = n++ ? at : i;
		}
	if (n == 1) {
		b->broken = at;
		return;
	}
	resume = find_resume(b, from, b->c->n);
	if (resume >= 0 && region_packed(b, from) < 0) {
		find_break_before(b, from, resume);
		return;
	}
	if (n > 1) {
		b->original = at;
		return;
	}
	if (resume < 0) {
		find_break_last(b, from);
		return;
	}
	/* Its line is the user's, and what follows inherits it: contexts entered before it have the first line. */
	for (i = region_packed(b, from); i < resume; i++)
		if (may_break(b, i)) {
			if (b->broken < 0)
				b->broken = i;
			if (b->c->instr[i].line != b->c->instr[i - 1].line) {
				b->broken = i;
				return;
			}
		}
}

/* Calls of resume functions up to the end, each with its return; a branch has two.  Contexts that the broken
   instruction ran in are left before. */
void region_add_resumes(struct region_build *b, int from)
{
	int load, ret, next, k;
	const struct resume *r;

	while (from < b->c->n) {
		ret = region_return_from(b, from);
		load = find_resume(b, from, ret);
		if (load >= 0) {
			k = region_add(b, REGION_RESUME_CALL, from, ret);
			/* The last one loaded is called; others are of functions inlined around the break. */
			while ((next = find_resume(b, load + 1, ret)) >= 0)
				load = next;
			r = resume_named(b, resume_loaded(b, load));
			if (k >= 0) {
				b->r[k].line = r ? r->func->resume_line : 0;
				b->r[k].text = r ? call_text_resume(r) : mem_fmt("%s(...)", resume_loaded(b, load));
			}
			from = ret;
		}
		region_add(b, REGION_RETURN, from, ret < b->c->n ? ret + 1 : ret);
		from = ret + 1;
	}
}

/* The index at which the preparation of this instruction ends: goes back over PRECALL and the like, and over the
   conversion of a jump's condition to bool. */
int region_before_break(const struct region_build *b, int at)
{
	while (at > b->first && (region_is(b, at - 1, "PRECALL") || region_is(b, at - 1, "KW_NAMES") ||
				 region_is(b, at - 1, "TO_BOOL") || region_is(b, at - 1, "EXTENDED_ARG")))
		at--;
	return at;
}

/* The user's line of the broken instruction: its own, or that of the instruction before the place where the first
   resume function continues. */
static int broken_line(const struct region_build *b)
{
	int load = find_resume(b, b->broken, b->c->n), line = b->c->instr[b->broken].line;
	const struct resume *r = placed(b, b->broken) || load < 0 ? NULL : resume_named(b, resume_loaded(b, load));
	PyCodeObject *co = b->e->func->co;
	const struct breakage *met = load < 0 && !placed(b, b->broken) ? broke(b->e) : NULL;

	if (met && met->nstack)
		return met->stack[0].line;
	return r && r->offset > 1 && co && region_packed(b, b->first) < 0 ? PyCode_Addr2Line(co, r->offset - 2) : line;
}

/* The way into the calls that were inlined where the graph broke: "in inner at toy.py:3"; NULL: there are none. */
static char *inner_of(const struct entry *e)
{
	const struct breakage *met = broke(e);
	struct buf way = { 0 };

	if (met)
		breaks_inner(met, &way);
	return way.s ? memmove(way.s, way.s + 2, strlen(way.s + 2) + 1) : NULL;
}

void region_add_break(struct region_build *b)
{
	int at = b->broken, start = at, k;
	struct buf arg = { 0 };

	start = region_before_break(b, start);
	k = region_add(b, REGION_BREAK, start, at + 1);
	b->r[k].line = b->r[k].last_line = broken_line(b);
	b->r[k].folded = false;
	host->code.arg_text(b->c, at, &arg);
	b->r[k].text = arg.len ? mem_fmt("%s (%s)", region_op(b, at), arg.s) : mem_str(region_op(b, at));
	b->r[k].inner = inner_of(b->e);
	buf_release(&arg);
	region_add_resumes(b, at + 1);
}
