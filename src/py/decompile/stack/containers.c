/* SPDX-License-Identifier: BSD-3-Clause */
/* Displays, what grows them, unpacking and f-strings on the symbolic stack.  Knows no control flow. */
#include <Python.h>
#include <string.h>
#include "py/code/op.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

enum { SHORT = 15 }; /* items of a display that CPython builds at once */

/* ---- displays ----------------------------------------------------------------------------------- */

static bool any_list(struct item **items, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (items[i]->kind == I_LIST)
			return true;
	return false;
}

static void build_tuple(struct run *r, int n)
{
	struct item **items = run_pop_n(r, n);
	struct expr **e;
	bool cells = n > 0, pure = true;
	int i;

	for (i = 0; i < n; i++) {
		cells = cells && items[i]->kind == I_CELL;
		pure = pure && items[i]->pure;
	}
	if (any_list(items, n)) {
		run_push_item(r, virtual_list_new(r, items, n, true));
		return;
	}
	e = run_use(r, items, n);
	run_push_item(r, run_item(r, cells ? I_CELLS : I_VALUE, dec_expr_n(r->d, E_TUPLE, NULL, e, n), pure));
}

static void build_set(struct run *r, int n)
{
	struct expr *nothing;

	if (n) {
		run_push_of(r, E_SET, NULL, run_pop_n(r, n), n);
		return;
	}
	nothing = dec_expr(r->d, E_STAR, NULL, 1, dec_expr(r->d, E_TUPLE, NULL, 0));
	run_push(r, dec_expr(r->d, E_SET, NULL, 1, nothing), false);
}

static void const_key_map(struct run *r, int n)
{
	struct item *keys = run_pop(r), **values = run_pop_n(r, n);
	struct expr **e = run_use(r, values, n), **kid = dec_alloc(r->d, (size_t)(2 * n + 1) * sizeof(*kid));
	int i;

	if (keys->kind != I_VALUE || keys->e->kind != E_CONST || !PyTuple_CheckExact(keys->e->obj) ||
	    PyTuple_GET_SIZE(keys->e->obj) != n)
		dec_refuse(r->d, r->index, "a dictionary whose keys are not known");
	for (i = 0; i < n; i++) {
		kid[2 * i] = dec_const(r->d, PyTuple_GET_ITEM(keys->e->obj, i));
		kid[2 * i + 1] = e[i];
	}
	run_push(r, dec_expr_n(r->d, E_DICT, NULL, kid, 2 * n), false);
}

static struct expr *with_kids(struct run *r, const struct expr *e, struct expr *a, struct expr *b)
{
	struct expr **kid = dec_alloc(r->d, (size_t)(e->n + 3) * sizeof(*kid));
	bool nothing = e->kind == E_SET && e->n == 1 && e->kid[0]->kind == E_STAR &&
		       e->kid[0]->kid[0]->kind == E_TUPLE && !e->kid[0]->kid[0]->n;
	int n = nothing ? 0 : e->n;

	dec_copy(kid, e->kid, (size_t)n * sizeof(*kid));
	kid[n++] = a;
	if (e->kind == E_DICT)
		kid[n++] = b;
	return dec_expr_n(r->d, e->kind, NULL, kid, n);
}

static void call_method(struct run *r, struct item *o, const char *method, struct item *v)
{
	struct item *both[2] = { o, v };
	struct expr **e, *f;

	run_settle(r, o);
	e = run_before(r, both, 2);
	f = dec_expr(r->d, E_ATTR, method, 1, e[0]);
	run_stmt(r, S_EXPR, NULL, dec_expr(r->d, E_CALL, NULL, 2, f, e[1]));
}

/* What LIST_EXTEND, SET_ADD and their like add to: a display on the stack, or an object that grows. */
static void grow(struct run *r, const struct ins *in, enum ekind kind, bool star, const char *method)
{
	struct item *v = run_pop(r), *t = run_top(r, in->arg), *both[2], *one;
	struct expr **e;

	if (t->kind == I_LIST && star && virtual_list_extend(r, t, v))
		return;
	if (t->kind == I_LIST && !star && !t->list->tuple && (v->pure || in->arg == 1)) {
		one = virtual_list_new(r, &v, 1, false);
		if (virtual_list_extend(r, t, one))
			return;
	}
	if (in->arg == 1 && (t->kind == I_LIST || (t->kind == I_VALUE && !t->pure && t->e->kind == kind))) {
		run_pop(r);
		both[0] = t;
		both[1] = v;
		e = run_use(r, both, 2);
		if (e[0]->kind == kind) {
			run_push(r, with_kids(r, e[0], star ? dec_expr(r->d, E_STAR, NULL, 1, e[1]) : e[1], NULL),
				 false);
			return;
		}
		run_push(r, e[0], true);
		t = run_top(r, 1);
	}
	if (t->kind == I_LIST) {
		struct expr *name;

		run_settle(r, t);
		name = virtual_list_expr(r, t);
		if (name->kind != E_TEMP) {
			struct temp *new = dec_temp(r->d);

			run_stmt(r, S_ASSIGN, dec_temp_use(r->d, new), name);
			name = dec_temp_use(r->d, new);
		}
		*t = *run_item(r, I_VALUE, name, true);
	}
	call_method(r, t, method, v);
}

/* {**a, **{k: v}} is what the compiler makes of {**a, k: v}, too, while that display is short; NULL: it is another. */
static struct expr *with_pairs(struct run *r, const struct expr *e, const struct expr *more)
{
	struct expr **kid;
	int i;

	if (!e->n || e->kid[e->n - 2] || more->kind != E_DICT || !more->n || more->n > 2 * SHORT)
		return NULL;
	for (i = 0; i < more->n; i += 2)
		if (!more->kid[i])
			return NULL;
	kid = dec_alloc(r->d, (size_t)(e->n + more->n + 1) * sizeof(*kid));
	dec_copy(kid, e->kid, (size_t)e->n * sizeof(*kid));
	dec_copy(kid + e->n, more->kid, (size_t)more->n * sizeof(*kid));
	return dec_expr_n(r->d, E_DICT, NULL, kid, e->n + more->n);
}

static void dict_update(struct run *r, const struct ins *in)
{
	struct expr *flat;
	struct item *v = run_pop(r), *t = run_top(r, in->arg), *both[2] = { t, v };
	struct expr **e;

	if (in->arg == 1 && t->kind == I_VALUE && !t->pure && t->e->kind == E_DICT) {
		run_pop(r);
		e = run_use(r, both, 2);
		if (e[0]->kind == E_DICT) {
			flat = in->op == D_DICT_UPDATE ? with_pairs(r, e[0], e[1]) : NULL;
			run_push(r, flat ? flat : with_kids(r, e[0], NULL, e[1]), false);
			return;
		}
		run_push(r, e[0], true);
		t = run_top(r, 1);
	}
	call_method(r, t, "update", v);
}

/* A display that is longer by this item.  It shares its memory with the shorter one, unless that has become another one
   already: a long display costs no time that grows with the square of it. */
static struct expr *longer(struct run *r, const struct expr *e, struct expr *key, struct expr *value)
{
	static const char grown[] = "grown";
	struct expr *out = dec_expr(r->d, E_DICT, grown, 0);
	int room = 16;

	while (room < e->n)
		room *= 2;
	out->kid = e->kid;
	if (e->text != grown || e->n + 2 > room || e->kid[e->n] || e->kid[e->n + 1]) {
		while (room < e->n + 2)
			room *= 2;
		out->kid = dec_alloc(r->d, (size_t)room * sizeof(struct expr *));
		dec_copy(out->kid, e->kid, (size_t)e->n * sizeof(struct expr *));
	}
	out->kid[e->n] = key;
	out->kid[e->n + 1] = value;
	out->n = e->n + 2;
	out->index = e->index;
	return out;
}

static void map_add(struct run *r, const struct ins *in)
{
	struct item **kv = run_pop_n(r, 2), *t = run_top(r, in->arg), *three[3] = { t, kv[0], kv[1] };
	struct expr **e;

	if (in->arg == 1 && t->kind == I_VALUE && !t->pure && t->e->kind == E_DICT) {
		run_pop(r);
		e = run_use(r, three, 3);
		if (e[0]->kind == E_DICT) {
			run_push(r, longer(r, e[0], e[1], e[2]), false);
			return;
		}
		run_push(r, e[0], true);
		t = three[0] = run_top(r, 1);
	}
	run_settle(r, t);
	e = run_before(r, three, 3);
	run_stmt(r, S_EXPR, NULL,
		 dec_expr(r->d, E_CALL, NULL, 3, dec_expr(r->d, E_ATTR, "__setitem__", 1, e[0]), e[1], e[2]));
}

static void list_to_tuple(struct run *r)
{
	struct item *l = run_pop(r);
	struct expr **e;

	if (l->kind == I_LIST) {
		run_push_item(r, virtual_list_new(r, l->list->item, l->list->n, true));
		return;
	}
	e = run_use(r, &l, 1);
	if (e[0]->kind == E_LIST && !l->pure)
		run_push(r, dec_expr_n(r->d, E_TUPLE, NULL, e[0]->kid, e[0]->n), false);
	else
		run_push(r, dec_expr(r->d, E_TUPLE, NULL, 1, dec_expr(r->d, E_STAR, NULL, 1, e[0])), false);
}

/* What this instruction makes has annotations that are values. */
static bool function_annotated(const struct run *r, const struct ins *in)
{
	if (op_named("SET_FUNCTION_ATTRIBUTE") < 0)
		return in->arg & 4;
	for (in++; in < r->d->ins + r->d->n && in->op == D_FUNCTION_PART; in++)
		if (in->arg == 4)
			return true;
	return false;
}

/* `*value` as an annotation of *args, or as a default: what unpacks it is a part of what is made of it next. */
static bool is_starred(const struct run *r, const struct ins *in)
{
	if (in->arg != 1)
		return false;
	for (in++; in < r->d->ins + r->d->n; in++) {
		switch (in->op) {
		case D_CONST:
		case D_CLOSURE:
		case D_FAST:
		case D_GLOBAL:
		case D_DEREF:
		case D_NAME:
		case D_ATTR:
		case D_SUBSCR:
		case D_BINARY:
		case D_TUPLE:
		case D_LIST:
		case D_SET:
		case D_MAP:
		case D_LIST_EXTEND:
		case D_NULL:
		case D_METHOD:
		case D_KW_NAMES:
		case D_CALL:
		case D_CALL_KW:
		case D_UNARY:
		case D_COMPARE:
		case D_BUILD_SLICE:
		case D_BINARY_SLICE:
		case D_FUNCTION_PART:
		case D_NOP:
			break;
		case D_MAKE_FUNCTION: /* a lambda has no annotations, and no definition is in an expression */
			if (function_annotated(r, in))
				return true;
			break;
		default:
			return false;
		}
	}
	return false;
}

static void unpack(struct run *r, int before, int after, bool star)
{
	struct item *v = run_pop(r);
	int n = before + after + star, i;
	struct expr **kid = dec_alloc(r->d, (size_t)(n + 1) * sizeof(*kid)), **e = run_before(r, &v, 1);
	struct temp **t = dec_alloc(r->d, (size_t)(n + 1) * sizeof(*t));

	for (i = 0; i < n; i++) {
		t[i] = dec_temp(r->d);
		kid[i] = dec_temp_use(r->d, t[i]);
		if (star && i == before)
			kid[i] = dec_expr(r->d, E_STAR, NULL, 1, kid[i]);
	}
	run_stmt(r, S_ASSIGN, dec_expr_n(r->d, E_TUPLE, NULL, kid, n), e[0]);
	for (i = n; i-- > 0;)
		run_push(r, dec_temp_use(r->d, t[i]), true);
}

/* ---- strings ------------------------------------------------------------------------------------ */

static struct expr *pieces(struct run *r, struct expr **e, int n)
{
	struct expr **kid = dec_alloc(r->d, (size_t)(n + 1) * sizeof(*kid));
	int i;

	for (i = 0; i < n; i++)
		kid[i] = (e[i]->kind == E_STRING && e[i]->n == 1) ?
				 e[i]->kid[0] :
			 e[i]->kind == E_CONST && PyUnicode_CheckExact(e[i]->obj) ?
				 e[i] :
				 dec_expr(r->d, E_FORMAT, "", 2, e[i], (struct expr *)NULL);
	return dec_expr_n(r->d, E_STRING, NULL, kid, n);
}

static void build_string(struct run *r, int n)
{
	struct expr **e = run_use(r, run_pop_n(r, n), n);

	run_push(r, pieces(r, e, n), false);
}

static const char *const conversions[] = { "", "!s", "!r", "!a" };

static void format(struct run *r, const struct ins *in)
{
	bool spec = !(in->arg & 8) && (in->arg & 4);
	struct item **items = run_pop_n(r, 1 + spec);
	struct expr **e = run_use(r, items, 1 + spec), *f = spec ? e[1] : NULL, *v = e[0];
	const char *how = conversions[in->arg & 3];

	if (in->arg & 8) { /* CONVERT_VALUE: the format follows */
		run_push(r, dec_expr(r->d, E_FORMAT, how, 2, v, (struct expr *)NULL), false);
		return;
	}
	if (v->kind == E_FORMAT) {
		how = v->text;
		v = v->kid[0];
	}
	if (f && f->kind != E_STRING)
		f = pieces(r, &f, 1);
	run_push(r, dec_expr(r->d, E_STRING, NULL, 1, dec_expr(r->d, E_FORMAT, how, 2, v, f)), false);
}

void run_container(struct run *r, const struct ins *in)
{
	switch (in->op) {
	case D_TUPLE:
		build_tuple(r, in->arg);
		break;
	case D_LIST:
		run_push_item(r, virtual_list_new(r, run_pop_n(r, in->arg), in->arg, false));
		break;
	case D_SET:
		build_set(r, in->arg);
		break;
	case D_MAP:
		run_push_of(r, E_DICT, NULL, run_pop_n(r, 2 * in->arg), 2 * in->arg);
		break;
	case D_CONST_KEY_MAP:
		const_key_map(r, in->arg);
		break;
	case D_STRING:
		build_string(r, in->arg);
		break;
	case D_FORMAT:
		format(r, in);
		break;
	case D_LIST_EXTEND:
		grow(r, in, E_LIST, true, "extend");
		break;
	case D_SET_UPDATE:
		grow(r, in, E_SET, true, "update");
		break;
	case D_LIST_APPEND:
		grow(r, in, E_LIST, false, "append");
		break;
	case D_SET_ADD:
		grow(r, in, E_SET, false, "add");
		break;
	case D_DICT_UPDATE:
	case D_DICT_MERGE:
		dict_update(r, in);
		break;
	case D_MAP_ADD:
		map_add(r, in);
		break;
	case D_LIST_TO_TUPLE:
		list_to_tuple(r);
		break;
	case D_UNPACK:
		if (is_starred(r, in)) {
			run_push_of(r, E_STAR, "unpacked", run_pop_n(r, 1), 1);
			break;
		}
		unpack(r, in->arg, 0, false);
		break;
	case D_UNPACK_EX:
		unpack(r, in->arg & 255, in->arg >> 8, true);
		break;
	default:
		dec_refuse(r->d, r->index, "%s", in->text ? in->text : "an instruction");
	}
}
