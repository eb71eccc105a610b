/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the code makes: definitions, lambdas, comprehensions.  Knows no control flow. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/stack/run.h"

static void part(struct run *r, struct making *m, int flag)
{
	struct item *v = run_pop(r);

	switch (flag) {
	case 1:
		m->defaults = v;
		break;
	case 2:
		m->kwdefaults = v;
		break;
	case 8:
		m->closure = v;
		break;
	case 16: /* a function since 3.14 */
		m->annotate = v;
		break;
	case 4:
		m->annotations = v;
		break;
	default:
		dec_refuse(r->d, r->index, "a function with an attribute of an unknown kind");
	}
}

/* Does the closure hold just the inner code's free variables, in their order? */
static bool closure_fits(const struct making *m, PyCodeObject *co)
{
	PyObject *frees = PyCode_GetFreevars(co);
	Py_ssize_t i, n = frees ? PyTuple_GET_SIZE(frees) : 0;
	bool fits = m->closure ? m->closure->kind == I_CELLS && m->closure->e->n == n : n == 0;

	for (i = 0; fits && i < n; i++)
		fits = m->closure->e->kid[i]->kind == E_CELL &&
		       !PyUnicode_Compare(m->closure->e->kid[i]->obj, PyTuple_GET_ITEM(frees, i));
	Py_XDECREF(frees);
	PyErr_Clear();
	return fits;
}

/* Annotations as a definition evaluates them: of arguments, of those that are positional only (first from 3.15 on), of
   *args, of keyword arguments, of **kw, of what is returned; some may be missing. */
bool functions_annotations_fit(const struct making *m, PyCodeObject *co)
{
	const struct expr *e = m->annotations ? m->annotations->e : NULL;
	int n, i, at = 0, order[256], k = 0, args = co->co_argcount, all = args + co->co_kwonlyargcount;
	bool var = co->co_flags & CO_VARARGS;

	if (!m->annotations)
		return true;
	if (m->annotations->kind != I_VALUE ||
	    (e->kind != E_TUPLE && !(e->kind == E_CONST && PyTuple_CheckExact(e->obj))) || all > 250)
		return false;
	for (i = 0; i < args; i++)
		order[k++] = py_iterator_slots > 1 ? i : (i + co->co_posonlyargcount) % args;
	if (var)
		order[k++] = all;
	for (i = args; i < all; i++)
		order[k++] = i;
	if (co->co_flags & CO_VARKEYWORDS)
		order[k++] = all + var;
	n = e->kind == E_TUPLE ? e->n : (int)PyTuple_GET_SIZE(e->obj);
	for (i = 0; i + 1 < n; i += 2) {
		PyObject *key = e->kind == E_TUPLE ? e->kid[i]->obj : PyTuple_GET_ITEM(e->obj, i);

		if (!key || !PyUnicode_Check(key))
			return false;
		while (at < k && PyUnicode_Compare(PyTuple_GET_ITEM(co->co_localsplusnames, order[at]), key))
			at++;
		if (at == k && (i + 2 != n || PyUnicode_CompareWithASCIIString(key, "return")))
			return false;
		if (e->kind == E_TUPLE && expr_has_unpacked(e->kid[i + 1]) && (at == k || !var || order[at] != all))
			return false;
		at += at < k;
	}
	return n % 2 == 0;
}

static struct expr *annotation_dict(struct run *r, const struct making *m)
{
	struct expr *e = item_expr(r, m->annotations), **kid;
	int i, n;

	if (expr_has_unpacked(e) || (e->kind != E_TUPLE && (e->kind != E_CONST || !PyTuple_CheckExact(e->obj))))
		dec_refuse(r->d, r->index, "a function with annotations that are not known");
	n = e->kind == E_TUPLE ? e->n : (int)PyTuple_GET_SIZE(e->obj);
	kid = dec_alloc(r->d, (size_t)(n + 1) * sizeof(*kid));
	for (i = 0; i < n; i++)
		kid[i] = e->kind == E_TUPLE ? e->kid[i] : dec_const(r->d, PyTuple_GET_ITEM(e->obj, i));
	return dec_expr_n(r->d, E_DICT, NULL, kid, n - n % 2);
}

/* Always true: a function made of the very code object. */
static void raw_function(struct run *r, const struct making *m, struct item *code)
{
	struct item *items[5];
	struct expr *types, *e[6], *f;
	struct temp *t;
	PyCodeObject *co = code->data;
	int n = 0;

	if (m->defaults)
		items[n++] = m->defaults;
	if (m->kwdefaults)
		items[n++] = m->kwdefaults;
	if (m->annotations) {
		m->annotations->e = annotation_dict(r, m);
		items[n++] = m->annotations;
	}
	if (m->annotate)
		items[n++] = m->annotate;
	run_flush(r, items, n);
	types = dec_bound(r->d, (PyObject *)&PyFunction_Type);
	e[0] = types;
	e[1] = dec_bound(r->d, (PyObject *)co);
	e[2] = dec_expr(r->d, E_CALL, NULL, 1, dec_builtin(r->d, "globals"));
	e[3] = dec_const(r->d, co->co_name);
	e[4] = m->defaults ? item_expr(r, m->defaults) : dec_none(r->d);
	e[5] = m->closure ? item_expr(r, m->closure) : dec_none(r->d);
	t = dec_temp(r->d);
	run_stmt(r, S_ASSIGN, dec_temp_use(r->d, t), dec_expr_n(r->d, E_CALL, NULL, e, 6));
	f = dec_temp_use(r->d, t);
	if (m->kwdefaults)
		run_stmt(r, S_ASSIGN, dec_expr(r->d, E_ATTR, "__kwdefaults__", 1, f), item_expr(r, m->kwdefaults));
	if (m->annotations)
		run_stmt(r, S_ASSIGN, dec_expr(r->d, E_ATTR, "__annotations__", 1, f), item_expr(r, m->annotations));
	if (m->annotate)
		run_stmt(r, S_ASSIGN, dec_expr(r->d, E_ATTR, "__annotate__", 1, f), item_expr(r, m->annotate));
	run_push(r, f, true);
}

/* A function that is a comprehension is one here, whose iterable is still to come. */
static bool comprehension_made(struct run *r, struct function **made)
{
	struct function *f = *made;
	PyCodeObject *co = (PyCodeObject *)f->code->co;
	const char *brackets = comprehension_brackets(f->code);
	struct expr *e;

	if (!brackets)
		return false;
	e = comprehension_of(r->d, &f->body, brackets);
	if (e) {
		run_note_comprehension(r, f);
		run_push(r, e, true);
	} else if (py_iterator_slots > 1) { /* it calls iter() when it is made */
		dec_refuse(r->d, r->index, "a generator expression that can only be written as a loop");
	} else {
		*made = nested_make(r, co); /* its statements are not what they were */
	}
	return e != NULL;
}

/* What is evaluated when the function is made; how many they are. */
static int made_parts(struct run *r, struct making *m, struct item **items)
{
	struct item **part[4] = { &m->defaults, &m->kwdefaults, &m->annotations, &m->annotate };
	int i, n = 0;

	for (i = 0; i < 4; i++)
		if (*part[i])
			items[n++] = *part[i];
	virtual_list_tuple_items(r, items, n);
	for (i = n = 0; i < 4; i++)
		if (*part[i])
			*part[i] = items[n++];
	return n;
}

/* One that only returns a value, and that a line can say all of. */
bool function_is_lambda(const struct function *f)
{
	return !f->annotations && !f->cells && !f->module && f->body.first && f->body.first->kind == S_RETURN &&
	       !f->body.first->next && f->body.first->value && !strcmp(code_name(f->code), "<lambda>");
}

static bool stores_as(const struct ins *next, PyObject *name)
{
	return (next->op == D_STORE_FAST || next->op == D_STORE_DEREF || next->op == D_STORE_GLOBAL ||
		next->op == D_STORE_NAME) &&
	       !PyUnicode_Compare(next->obj, name);
}

/* F.NAME = value, after the definition of F. */
static void set_attribute(struct run *r, struct expr *function, const char *name, struct expr *value)
{
	struct expr *e = dec_expr(r->d, E_ATTR, NULL, 1, function);

	e->obj = dec_hold(r->d, PyUnicode_InternFromString(name));
	if (value && e->obj)
		run_stmt(r, S_ASSIGN, e, value);
}

static void set_annotations(struct run *r, const struct making *m, struct expr *function)
{
	set_attribute(r, function, "__annotations__", m->annotated);
	set_attribute(r, function, "__annotate__", m->annotate ? item_expr(r, m->annotate) : NULL);
}

bool function_made(struct run *r, struct making *m, PyCodeObject *co, const struct ins *next)
{
	struct item *items[4];
	const int n = made_parts(r, m, items);
	struct function *f;
	struct expr *e;

	if (code_kind_is_generic(code_get((struct py_code *)co)) || !literal_doc_has_text((PyObject *)co) ||
	    !functions_annotations_fit(m, co) || !(m->called || closure_fits(m, co)) ||
	    !nested_defaults_fit(m->defaults, m->kwdefaults))
		return false;
	f = nested_make(r, co);
	if (!f)
		return false;
	if (comprehension_made(r, &f))
		return true;
	f->defaults = m->defaults;
	f->kwdefaults = m->kwdefaults;
	f->annotations = m->annotations;
	f->cells = m->cells;
	f->module = m->module;
	f->doc = literal_doc_of(r->d, (PyObject *)co);
	if (function_is_lambda(f) && !m->annotated && !m->annotate) {
		run_use(r, items, n);
		e = dec_expr(r->d, E_LAMBDA, NULL, 0);
		e->function = f;
		run_push(r, e, false);
		return true;
	}
	run_before(r, items, n);
	if (next < r->d->ins + r->end && stores_as(next, co->co_name)) {
		if (next->op == D_STORE_FAST)
			run_written(r, next->obj);
		run_note_store(r, next);
		e = dec_name(r->d, next->obj);
		run_stmt(r, S_DEF, e, NULL)->function = f;
		set_annotations(r, m, e);
		r->skip++;
		return true;
	}
	e = dec_temp_use(r->d, dec_temp(r->d));
	e->temp->hint = dec_is_identifier(co->co_name) ? code_name(f->code) : NULL;
	run_stmt(r, S_DEF, e, NULL)->function = f;
	set_annotations(r, m, e);
	run_push(r, e, true);
	return true;
}

void functions_make(struct run *r, const struct ins *in)
{
	struct item *code = run_pop(r);
	struct making m = { NULL };
	const struct ins *next = in + 1, *end = r->d->ins + r->end;
	int i;
	static const int order[] = { 8, 4, 2, 1 };

	if (code->kind != I_CODE)
		dec_refuse(r->d, r->index, "a function of code that is not known");
	if (op_named("SET_FUNCTION_ATTRIBUTE") < 0) {
		for (i = 0; i < 4; i++)
			if (in->arg & order[i])
				part(r, &m, order[i]);
	} else {
		for (; next < end && next->op == D_FUNCTION_PART; next++, r->skip++)
			part(r, &m, next->arg);
	}
	if (op_named("LOAD_FROM_DICT_OR_GLOBALS") >= 0 &&
	    !strcmp(code_name(code_get((struct py_code *)code->data)), "__annotate__")) {
		raw_function(r, &m, code); /* it gives annotations, and is only passed on */
		return;
	}
	if (closure_fits(&m, code->data) && !m.defaults && class_made(r, code->data))
		return;
	if (!function_made(r, &m, code->data, next))
		raw_function(r, &m, code);
}
