/* SPDX-License-Identifier: BSD-3-Clause */
/* Assignments within expressions, where a person writes them: in conditions, and in what fills a comprehension.
   Elsewhere the value that is stored and needed again is a statement, and the variable. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/run.h"

static bool is_store(enum dop op)
{
	return op == D_STORE_FAST || op == D_STORE_DEREF || op == D_STORE_GLOBAL || op == D_STORE_NAME;
}

bool walrus_at(const struct dec *d, int i)
{
	return i + 1 < d->n && d->ins[i].op == D_COPY && d->ins[i].arg == 1 && is_store(d->ins[i + 1].op) &&
	       !(i + 2 < d->n && is_store(d->ins[i + 2].op));
}

static bool is_statement(enum dop op)
{
	switch (op) {
	case D_STORE_ATTR:
	case D_STORE_SUBSCR:
	case D_STORE_SLICE:
	case D_DELETE_FAST:
	case D_DELETE_GLOBAL:
	case D_DELETE_NAME:
	case D_DELETE_DEREF:
	case D_DELETE_ATTR:
	case D_DELETE_SUBSCR:
	case D_INPLACE:
	case D_IMPORT:
	case D_UNPACK:
	case D_UNPACK_EX:
	case D_POP:
	case D_WITH:
	case D_PUSH_EXC:
	case D_POP_EXCEPT:
	case D_EXC_MATCH:
	case D_BYTECODE:
	case D_MAKE_FUNCTION:
	case D_YIELD:
	case D_YIELD_FROM:
		return true;
	default:
		return is_store(op);
	}
}

static bool in_comprehension(const struct dec *d, enum dop store)
{
	if (d->made.part && store == D_STORE_GLOBAL)
		return true;
	return code_name(d->c)[0] == '<' && strcmp(code_name(d->c), "<lambda>") && strcmp(code_name(d->c), "<module>");
}

/* The value on top before instruction i, or what is made of it, is below the condition of the jump at `end`: what needs
   it follows the jump.  So it is with arguments of a graph, where hooks are called if a profiler runs. */
static bool is_below_condition(const struct dec *d, int i, int end)
{
	const int target = d->ins[end].target;
	int k, depth, least = ins_depth(d, i);

	for (k = i + 1; k < end; k++) {
		depth = ins_depth(d, k);
		least = depth >= 0 && depth < least ? depth : least;
	}
	return target < d->n && least >= 0 && least < ins_depth(d, target) + (d->ins[end].op == D_JUMP_IF);
}

/* The rest of these instructions only computes a condition.  In generated code the value on top is a part of it: a
   person may have written an assignment before a condition, too. */
static bool in_condition(const struct run *r, int i)
{
	const struct dec *d = r->d;

	if (r->end >= d->n || (d->ins[r->end].op != D_JUMP_IF && d->ins[r->end].op != D_JUMP_OR_POP) ||
	    (dec_only_generated(d) && is_below_condition(d, i, r->end)))
		return false;
	for (; i < r->end; i++) {
		if (walrus_at(d, i) && i + 1 < r->end)
			i++;
		else if (is_statement(d->ins[i].op))
			return false;
	}
	return true;
}

static bool assigns(const struct expr *e, PyObject *name)
{
	int i;

	dec_deep();
	if (!e)
		return false;
	if (e->kind == E_WALRUS && e->kid[0]->obj == name)
		return true;
	for (i = 0; i < e->n; i++)
		if (assigns(e->kid[i], name))
			return true;
	return false;
}

bool walrus_waits(const struct run *r, PyObject *name)
{
	int i;

	for (i = 0; r->d->made.walrus && i < r->n; i++)
		if (r->stack[i]->kind != I_HELD && r->stack[i]->e && assigns(r->stack[i]->e, name))
			return true;
	return false;
}

void walrus_settle(struct run *r, PyObject *name)
{
	if (walrus_waits(r, name))
		run_flush(r, NULL, 0);
}

bool walrus_run(struct run *r, const struct ins *in)
{
	struct dec *d = r->d;
	const int i = (int)(in - d->ins);
	struct item *value = run_top(r, 1), *old;
	struct expr *name;

	if (!walrus_at(d, i) || i + 1 >= r->end || value->kind != I_VALUE ||
	    (!in_comprehension(d, in[1].op) && !in_condition(r, i + 2)))
		return false;
	old = run_pop(r); /* what it assigns itself is assigned before */
	walrus_settle(r, in[1].obj);
	run_note_store(r, in + 1);
	if (in[1].op == D_STORE_FAST)
		run_written(r, in[1].obj);
	name = dec_name(d, in[1].obj);
	name->steady = in[1].op == D_STORE_FAST;
	run_push(r, dec_expr(d, E_WALRUS, NULL, 2, name, run_use(r, &old, 1)[0]), false);
	d->made.walrus = true;
	r->skip = 1;
	return true;
}

bool walrus_spill(struct run *r, struct item *i)
{
	struct expr *e = i->kind == I_VALUE ? i->e : NULL;

	if (!e || e->kind != E_WALRUS || !e->kid[0]->steady)
		return false;
	run_stmt(r, S_ASSIGN, e->kid[0], e->kid[1]);
	i->e = dec_name(r->d, e->kid[0]->obj);
	i->e->steady = true;
	i->e->index = e->index;
	i->pure = true;
	i->seq = 0;
	return true;
}

void walrus_written(struct run *r, const struct expr *e)
{
	int i;

	if (!r->d->made.walrus || !e)
		return;
	dec_deep();
	if (e->kind == E_WALRUS && e->kid[0]->steady)
		run_written(r, e->kid[0]->obj);
	for (i = 0; i < e->n; i++)
		walrus_written(r, e->kid[i]);
}

bool walrus_rebinds(const struct expr *e, const struct stmt *s)
{
	int i;

	dec_deep();
	if (!e)
		return false;
	if (e->kind == E_WALRUS && (dec_reads(s->value, e->kid[0]->obj) || dec_reads(s->target, e->kid[0]->obj)))
		return true;
	for (i = 0; i < e->n; i++)
		if (walrus_rebinds(e->kid[i], s))
			return true;
	return false;
}
