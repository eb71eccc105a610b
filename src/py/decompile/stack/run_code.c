/* SPDX-License-Identifier: BSD-3-Clause */
/* What instructions do to the symbolic stack; attributes and items are in attributes.c, calls in calls.c.  Knows no
   control flow. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

/* ---- results ------------------------------------------------------------------------------------ */

static void assign(struct run *r, struct expr *target, struct item *value)
{
	struct expr **e = run_before(r, &value, 1);

	run_stmt(r, S_ASSIGN, target, e[0]);
}

/* ---- variables ---------------------------------------------------------------------------------- */

static void push_name(struct run *r, PyObject *name, bool steady)
{
	struct expr *e = dec_name(r->d, name);

	e->steady = steady;
	run_push(r, e, steady);
}

static void load_global(struct run *r, const struct ins *in)
{
	const struct dec_style *s = r->d->style;
	const char *name = PyUnicode_AsUTF8(in->obj);

	if (!name)
		PyErr_Clear();
	if (code_kind_is_class(r->d->c))
		dec_refuse(r->d, r->index, "a global that the body of a class reads as such");
	run_only_global(r, in->obj);
	run_note_global(r, in->obj);
	push_name(r, in->obj, name && s->steady && s->steady(s->arg, r->d->c, name));
}

static void store(struct run *r, const struct ins *in)
{
	struct item *v;
	struct expr *target;

	walrus_settle(r, in->obj);
	v = run_pop(r);
	run_note_store(r, in);
	if (in->op == D_STORE_FAST) {
		if (v->kind == I_NULL)
			dec_refuse(r->d, r->index, "a variable that becomes unbound");
		run_written(r, in->obj);
	}
	target = dec_name(r->d, in->obj);
	target->steady = in->op == D_STORE_FAST;
	assign(r, target, v);
}

static void delete (struct run *r, const struct ins *in)
{
	if (in->op == D_DELETE_FAST)
		run_written(r, in->obj);
	run_note_delete(r, in);
	run_flush(r, NULL, 0);
	run_stmt(r, S_DELETE, dec_name(r->d, in->obj), NULL);
}

/* ---- the stack itself --------------------------------------------------------------------------- */

static void copy(struct run *r, const struct ins *in)
{
	struct item *i = run_top(r, in->arg), *twin;

	if (walrus_run(r, in))
		return;
	/* `x = value` that is needed again: use x */
	if (in->arg == 1 && i->kind == I_VALUE && !i->pure && in + 1 < r->d->ins + r->end && in[1].op == D_STORE_FAST &&
	    !walrus_waits(r, in[1].obj)) {
		run_pop(r);
		run_written(r, in[1].obj);
		assign(r, dec_name(r->d, in[1].obj), i);
		r->skip = 1;
		push_name(r, in[1].obj, true);
		return;
	}
	if (i->kind == I_ENTER)
		dec_refuse(r->d, r->index, "a value that cannot be named is copied");
	run_settle(r, i);
	twin = dec_alloc(r->d, sizeof(*twin));
	*twin = *i;
	run_push_item(r, twin);
}

static void swap(struct run *r, const struct ins *in)
{
	struct item *top = run_top(r, 1), *other = run_top(r, in->arg);

	r->stack[r->n - 1] = other;
	r->stack[r->n - in->arg] = top;
}

static void pop(struct run *r)
{
	struct item *i = run_pop(r);
	struct expr **e;

	if (i->kind == I_LIST) {
		if (run_last(i)) /* else nothing in it is still to be evaluated */
			run_flush(r, &i, 1);
		return;
	}
	if (i->pure || item_special(i))
		return;
	e = run_before(r, &i, 1);
	run_stmt(r, S_EXPR, NULL, e[0]);
}

/* ---- generators, constants ---------------------------------------------------------------------- */

static void yield(struct run *r, enum ekind kind)
{
	struct item *v = run_pop(r);

	if (v->kind == I_AWAIT && v->e->kind == E_COMPREHENSION && v->e->text[0] != '(') {
		run_push(r, v->e, false); /* it awaits by itself */
		return;
	}
	if (v->kind == I_AWAIT)
		kind = E_AWAIT;
	run_push(r, dec_expr(r->d, kind, NULL, 1, run_use(r, &v, 1)[0]), false);
}

/* A display, too, which raises a TypeError. */
static void awaited(struct run *r)
{
	struct item *v = run_top(r, 1);

	if (v->kind != I_VALUE) {
		run_pop(r);
		run_push(r, run_use(r, &v, 1)[0], false);
	}
	run_top(r, 1)->kind = I_AWAIT;
}

static void load_const(struct run *r, const struct ins *in)
{
	struct item *i;
	struct expr *e;

	if (PySlice_Check(in->obj)) {
		run_push_item(r, run_item(r, I_SLICE, expr_slice_constant(r->d, in->obj), true));
		return;
	}
	if (!PyCode_Check(in->obj)) {
		e = expr_slice_tuple(r->d, in->obj);
		run_push(r, e ? e : dec_const(r->d, in->obj), true);
		return;
	}
	i = run_item(r, I_CODE, dec_bound(r->d, in->obj), true);
	i->data = in->obj;
	run_push_item(r, i);
}

static void push_common(struct run *r, const char *name)
{
	static const struct {
		const char *name;
		PyTypeObject *type;
	} types[] = { { "tuple", &PyTuple_Type }, { "list", &PyList_Type }, { "set", &PySet_Type } };
	PyObject *v = NULL;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			v = (PyObject *)types[i].type;
	if (!strcmp(name, "AssertionError"))
		v = PyExc_AssertionError;
	else if (!strcmp(name, "NotImplementedError"))
		v = PyExc_NotImplementedError;
	run_push(r, v ? dec_bound(r->d, v) : dec_builtin(r->d, name), true);
}

static void load_cell(struct run *r, const struct ins *in)
{
	struct expr *e = dec_expr(r->d, E_CELL, NULL, 0);
	struct item *i;

	e->obj = in->obj;
	i = run_item(r, I_CELL, e, true);
	i->data = in->obj;
	run_push_item(r, i);
}

/* ---- exceptions, as the clauses of `try` and `with` need them ----------------------------------- */

static void with_op(struct run *r, const struct ins *in)
{
	struct item *m, *i;
	int n;

	switch (in->op) {
	case D_WITH:
		m = run_pop(r);
		for (n = in->arg & WITH_SELF ? 2 : 1; n; n--)
			run_push_item(r, run_item(r, I_EXIT, dec_none(r->d), true));
		i = run_item(r, I_ENTER, m->kind == I_LIST ? NULL : m->e, true);
		i->data = m;
		i->async = in->arg & WITH_ASYNC;
		run_push_item(r, i);
		break;
	case D_PUSH_EXC:
		m = run_pop(r);
		run_push_item(r, run_item(r, I_EXC, dec_none(r->d), true));
		run_push_item(r, m);
		break;
	case D_POP_EXCEPT:
		m = run_pop(r);
		if (m->kind != I_EXC)
			dec_refuse(r->d, r->index, "a handler that ends with something else on the stack");
		break;
	case D_EXC_MATCH: {
		struct item *type = run_pop(r), *e = run_top(r, 1), *both[2] = { e, type };
		struct expr **x = run_use(r, both, 2);

		run_push(r, dec_expr(r->d, E_CALL, "except", 3, dec_builtin(r->d, "isinstance"), x[0], x[1]), false);
		break;
	}
	case D_RERAISE:
		m = run_pop(r);
		run_flush(r, NULL, 0);
		run_stmt(r, S_RAISE, NULL, NULL)->raised = m->kind == I_VALUE && m->e->kind == E_TEMP ? m->e->temp :
													NULL;
		break;
	default:
		dec_refuse(r->d, r->index, "a handler of a with statement");
	}
}

static void raise(struct run *r, int n)
{
	struct item **items = run_pop_n(r, n);
	struct expr **e = run_before(r, items, n);

	run_stmt(r, S_RAISE, n > 1 ? e[1] : NULL, n ? e[0] : NULL);
}

/* As a rule a jump or `not` takes it, and asks for the truth itself; CPython 3.13 leaves only it of `not not x`. */
static void truth_itself(struct run *r, const struct ins *in)
{
	const struct ins *next = in + 1, *end = r->d->ins + r->d->n;

	while (next < end && next->op == D_NOP)
		next++;
	if (next < end && (next->op == D_JUMP_IF || next->op == D_JUMP_OR_POP ||
			   (next->op == D_UNARY && !strcmp(next->text, "not "))))
		return;
	run_push_of(r, E_UNARY, "not ", run_pop_n(r, 1), 1);
	run_push_of(r, E_UNARY, "not ", run_pop_n(r, 1), 1);
}

/* ---- all of them -------------------------------------------------------------------------------- */

/* Opcodes of one kind share a line. */
/* clang-format off */
static void value_op(struct run *r, const struct ins *in)
{
	struct item *v;
	struct expr *kind;

	switch (in->op) {
	case D_CONST: load_const(r, in); break;
	case D_NULL: run_push_item(r, run_item(r, I_NULL, NULL, true)); break;
	case D_FAST:
		push_name(r, in->obj, !in->text && !walrus_waits(r, in->obj));
		break;
	case D_GLOBAL: load_global(r, in); break;
	case D_NAME:
		class_name(r, in);
		push_name(r, in->obj, false);
		run_top(r, 1)->e->text = in->text;
		break;
	case D_DEREF: push_name(r, in->obj, false); break;
	case D_CLOSURE: load_cell(r, in); break;
	case D_STORE_FAST:
	case D_STORE_GLOBAL:
	case D_STORE_NAME:
	case D_STORE_DEREF: store(r, in); break;
	case D_DELETE_FAST:
	case D_DELETE_GLOBAL:
	case D_DELETE_NAME:
	case D_DELETE_DEREF: delete (r, in); break;
	case D_POP: pop(r); break;
	case D_COPY: copy(r, in); break;
	case D_SWAP: swap(r, in); break;
	case D_COMMON: push_common(r, in->text); break;
	case D_IMPORT: import_run(r, in); break;
	case D_IMPORT_FROM:
		run_settle(r, run_top(r, 1));
		run_push(r, run_attribute(r, run_top(r, 1)->e, in->obj), false);
		break;
	case D_GENERATOR: run_push(r, dec_none(r->d), true); break;
	case D_YIELD: yield(r, E_YIELD); break;
	case D_YIELD_FROM: yield(r, E_YIELD_FROM); break;
	case D_GET_AWAITABLE: awaited(r); break;
	case D_BUILD_CLASS:
		run_push(r, dec_builtin(r->d, "__build_class__"), true);
		run_top(r, 1)->e->text = "class";
		break;
	case D_COMPREHENSION: part_run(r, in); break;
	case D_GET_ITER:
		v = run_pop(r);
		kind = dec_builtin(r->d, in->arg ? "aiter" : "iter");
		run_push(r, dec_expr(r->d, E_CALL, NULL, 2, kind, run_use(r, &v, 1)[0]), false);
		run_top(r, 1)->kind = I_ITERABLE;
		break;
	case D_RETURN:
		v = run_pop(r);
		run_stmt(r, S_RETURN, NULL, run_before(r, &v, 1)[0]);
		break;
	case D_RAISE: raise(r, in->arg); break;
	default: run_item_op(r, in);
	}
}
/* clang-format on */

void run_code(struct run *r, int first, int end)
{
	const struct ins *in;

	r->end = end;
	for (in = r->d->ins + first; in < r->d->ins + end; in++) {
		if (r->skip) {
			r->skip--;
			continue;
		}
		r->index = in->index;
		r->at = in;
		switch (in->op) {
		case D_NOP:
		case D_JUMP:
		case D_END_FOR:
			break;
		case D_BOOL:
			truth_itself(r, in);
			break;
		case D_REFUSED:
			dec_refuse(r->d, in->index, "%s", in->text);
		case D_FAST_CLEAR:
			dec_refuse(r->d, in->index, "a variable with a saved value");
		case D_KW_NAMES:
			r->keys = in->obj;
			break;
		case D_BYTECODE:
			run_flush(r, NULL, 0);
			run_stmt(r, S_BYTECODE, NULL, NULL)->stretch = in->stretch;
			break;
		case D_METHOD:
		case D_CALL:
		case D_CALL_KW:
		case D_CALL_EX:
			call_op(r, in);
			break;
		case D_MAKE_FUNCTION:
		case D_FUNCTION_PART:
			functions_make(r, in);
			break;
		case D_WITH:
		case D_WITH_EXCEPT:
		case D_PUSH_EXC:
		case D_POP_EXCEPT:
		case D_EXC_MATCH:
		case D_RERAISE:
			with_op(r, in);
			break;
		default:
			value_op(r, in);
		}
	}
}
