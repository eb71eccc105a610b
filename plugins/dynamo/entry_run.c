/* SPDX-License-Identifier: BSD-3-Clause */
/* entry check, run, diff: an entry's guards and generated code by hand, on values of the selected frame or given ones.
   Changes nothing in Dynamo's cache. */
#include "edit_guard.h"
#include "entry.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- NAME=EXPR NAME=EXPR ... -------------------------------------------------------------------------------- */

/* Does a name with one = behind it stand here?  Its length, or 0. */
static size_t name_here(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*s) && *s != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return s[n] == '=' && s[n + 1] != '=' ? n : 0;
}

/* The end of the expression that begins here: before the next NAME= outside of brackets and quotes, or the end. */
static const char *expr_end(const char *s)
{
	int depth = 0;
	char quote = 0;

	for (; *s; s++) {
		if (quote) {
			if (*s == '\\' && s[1])
				s++;
			else if (*s == quote)
				quote = 0;
		} else if (*s == '\'' || *s == '"') {
			quote = *s;
		} else if (strchr("([{", *s)) {
			depth++;
		} else if (strchr(")]}", *s)) {
			depth--;
		} else if (isspace((unsigned char)*s) && depth == 0) {
			const char *next = s + strspn(s, " \t");

			if (!*next || name_here(next))
				return s;
		}
	}
	return s;
}

int entry_given(const char *args, PyObject *values, struct err *err)
{
	const char *end;
	PyObject *v;
	char *name, *text;
	size_t n;
	int ret = 0;

	while (ret == 0 && *args) {
		n = name_here(args);
		if (!n)
			return host->err_set(err, "with what? NAME=EXPR, as in 'with n=3 x=torch.ones(4)'");
		name = host->mem_fmt("%.*s", (int)n, args);
		end = expr_end(args + n + 1);
		text = host->mem_fmt("%.*s", (int)(end - args - (ptrdiff_t)n - 1), args + n + 1);
		v = (PyObject *)host->eval(text, err);
		if (!v || PyDict_SetItemString(values, name, v) < 0)
			ret = -1;
		Py_XDECREF(v);
		free(text);
		free(name);
		args = end + strspn(end, " \t");
	}
	PyErr_Clear();
	return ret;
}

/* ---- the values ------------------------------------------------------------------------------------------------ */

/* Argument names and free variables of the function, in the order of its signature: a new list. */
static PyObject *names_of(PyCodeObject *co)
{
	PyObject *vars = PyCode_GetVarnames(co), *frees = PyCode_GetFreevars(co), *list = PyList_New(0);
	Py_ssize_t i, n = co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
			  !!(co->co_flags & CO_VARKEYWORDS);

	for (i = 0; list && vars && i < n; i++)
		PyList_Append(list, PyTuple_GET_ITEM(vars, i));
	for (i = 0; list && frees && i < PyTuple_GET_SIZE(frees); i++)
		PyList_Append(list, PyTuple_GET_ITEM(frees, i));
	PyErr_Clear();
	Py_XDECREF(frees);
	Py_XDECREF(vars);
	return list;
}

static bool frame_is_of(struct entry *e)
{
	struct py_frame *f;
	struct code *c;
	int index;
	bool yes;
	struct err err;

	if (host->selected(&f, &c, &index, &err) < 0)
		return false;
	yes = c && (c->co == (struct py_code *)e->co || c->co == (struct py_code *)e->func->co);
	if (c)
		Py_DECREF((PyObject *)c->co);
	Py_XDECREF((PyObject *)f);
	return yes || (compiling_top() && compiling_top()->func == e->func);
}

/* Does a guard look at this argument, or a condition of the user's? */
static bool guarded(struct entry *e, const char *name)
{
	const struct guards *all = guards_of(e);
	char *source = host->mem_fmt("L['%s']", name);
	const struct override *o;
	bool yes = !all;
	int i;

	for (i = 0; !yes && i < all->n; i++)
		yes = strstr(all->guard[i].source, source) || strstr(all->guard[i].text, source);
	for (o = ledger; !yes && o; o = o->next)
		yes = o->entry == e && !o->undone && !o->dead && strstr(o->text ? o->text : "", name);
	free(source);
	return yes;
}

/* A dict of what the guards, and the code when it is to run, read: as given, else of the selected frame. */
static PyObject *values_of(struct entry *e, const char *args, bool runs, struct err *err)
{
	PyObject *values = PyDict_New(), *names = names_of(e->func->co), *v;
	bool here = frame_is_of(e);
	const char *name;
	Py_ssize_t i;

	if (!strncmp(args, "with", 4) && (isspace((unsigned char)args[4]) || !args[4]))
		args += 4 + strspn(args + 4, " \t");
	if (entry_given(args, values, err) < 0)
		goto fail;
	for (i = 0; names && i < PyList_GET_SIZE(names); i++) {
		name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));
		if (PyDict_GetItemString(values, name))
			continue;
		v = here ? (PyObject *)host->eval(name, err) : NULL;
		if (!v && !runs && !guarded(e, name))
			continue;
		if (!v) {
			host->err_set(err, "no value for '%s'%s: say 'with %s=EXPR'", name,
				      here ? " in this frame any more" : ", "
						"and the selected frame is not of that function",
				      name);
			goto fail;
		}
		PyDict_SetItemString(values, name, v);
		Py_DECREF(v);
	}
	Py_XDECREF(names);
	return values;
fail:
	PyErr_Clear();
	Py_XDECREF(names);
	Py_XDECREF(values);
	return NULL;
}

/* ---- check ------------------------------------------------------------------------------------------------------- */

/* The entry's guards as they are in force, in a tree of its own: checking a tree changes its counts. */
static PyObject *root_of(struct entry *e, struct err *err)
{
	PyObject *manager = NULL, *root;
	struct cached c;
	size_t at;

	if (cached_read(e->func->co, &c, err) < 0)
		return NULL;
	at = cached_find(&c, e->co);
	manager = at < c.n ? Py_NewRef(c.slot[at].manager) : ledger_manager(e);
	cached_release(&c);
	root = manager ? edit_clone(manager) : NULL;
	Py_XDECREF(manager);
	PyErr_Clear();
	if (!root)
		host->err_set(err, "entry '%s' has no guards any more: it was invalidated", e->id);
	return root;
}

/* Conditions that the user added and that do not hold; the number of them. */
static int say_added(struct entry *e, PyObject *values, struct buf *out)
{
	const struct override *o;
	int n = 0, passes;

	for (o = ledger; o; o = o->next) {
		if (o->entry != e || o->deed != DEED_ADD || o->undone || o->dead)
			continue;
		passes = leaf_passes(o, values);
		if (passes > 0)
			continue;
		n++;
		host->buf_addf(out, "  added by override %d: %s\n", o->number, o->text);
		why_values("that it holds", passes < 0 ? "raises an exception" : "does not hold", out);
	}
	return n;
}

/* Every guard that fails, as far as they can be asked one by one; the number of them. */
static int say_failing(struct entry *e, PyObject *values, struct buf *out)
{
	const struct failing *f;
	struct scene scene = { .locals = values, .whole = true };
	struct buf list = { 0 };
	struct why why;
	int i, n;

	why_of(e, &scene, NULL, &why);
	for (i = 0; i < why.n; i++) {
		f = &why.failing[i];
		why_head(f->guard->number, f->guard->text, f->guard->file, f->guard->line, &list);
		why_values(f->expected, f->live ? f->live : "", &list);
	}
	n = why.n + say_added(e, values, &list);
	if (n)
		host->buf_addf(out, "entry %s: %d %s\n%s", e->id, n, n == 1 ? "guard fails" : "guards fail", list.s);
	host->buf_release(&list);
	why_release(&why);
	return n;
}

/* The first that fails, in Dynamo's words without the line behind it. */
static void say_first(struct entry *e, PyObject *parts, struct buf *out)
{
	const char *text, *end;
	Py_ssize_t i;

	host->buf_addf(out, "entry %s: a guard fails\n", e->id);
	for (i = 0; PyList_Check(parts) && i < PyList_GET_SIZE(parts); i++) {
		text = PyUnicode_Check(PyList_GET_ITEM(parts, i)) ? PyUnicode_AsUTF8(PyList_GET_ITEM(parts, i)) : NULL;
		end = text ? strstr(text, "  #") : NULL;
		if (text)
			host->buf_addf(out, "  %.*s\n", end ? (int)(end - text) : (int)strlen(text), text);
	}
}

int entry_check(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	PyObject *values = values_of(e, args, false, err), *root = values ? root_of(e, err) : NULL;
	PyObject *r = NULL, *parts = NULL;
	PyObject *passes = NULL;
	int ret = -1;

	leaf_trying(true);
	if (root)
		r = PyObject_CallMethod(root, "check_verbose", "O", values);
	passes = r ? PyObject_GetAttrString(r, "result") : NULL;
	parts = r ? PyObject_GetAttrString(r, "verbose_code_parts") : NULL;
	if (root && (!passes || !parts)) {
		edit_raised(err, "the guards cannot be checked");
		goto out;
	}
	if (!root)
		goto out;
	ret = 0;
	if (passes == Py_True)
		host->buf_addf(&out->text, "entry %s: all guards pass\n", e->id);
	else if (!say_failing(e, values, &out->text))
		say_first(e, parts, &out->text);
out:
	leaf_trying(false);
	PyErr_Clear();
	Py_XDECREF(parts);
	Py_XDECREF(passes);
	Py_XDECREF(r);
	Py_XDECREF(root);
	Py_XDECREF(values);
	return ret;
}

/* ---- run ------------------------------------------------------------------------------------------------- */

/* Dynamo keeps the globals that the code was compiled with. */
static PyObject *globals_of(struct entry *e, struct err *err)
{
	PyObject *manager = NULL, *scope = NULL, *globals;
	struct cached c;
	size_t at;

	if (cached_read(e->func->co, &c, err) < 0)
		return NULL;
	at = cached_find(&c, e->co);
	manager = at < c.n ? Py_NewRef(c.slot[at].manager) : ledger_original(e);
	cached_release(&c);
	scope = manager ? PyObject_GetAttrString(manager, "global_scope") : NULL;
	globals = scope && PyDict_Check(scope) ? Py_XNewRef(PyDict_GetItemString(scope, "G")) : NULL;
	PyErr_Clear();
	Py_XDECREF(scope);
	Py_XDECREF(manager);
	if (!globals)
		host->err_set(err, "the globals of entry '%s' are not known", e->id);
	return globals;
}

static PyObject *cells_of(PyCodeObject *co, PyObject *values)
{
	PyObject *frees = PyCode_GetFreevars(co), *cells = PyTuple_New(frees ? PyTuple_GET_SIZE(frees) : 0);
	Py_ssize_t i;

	for (i = 0; cells && frees && i < PyTuple_GET_SIZE(frees); i++)
		PyTuple_SET_ITEM(cells, i, PyCell_New(PyDict_GetItem(values, PyTuple_GET_ITEM(frees, i))));
	Py_XDECREF(frees);
	return cells;
}

/* Call this code with these values: a new reference, or NULL with the exception. */
static PyObject *call_code(PyCodeObject *co, PyObject *globals, PyObject *values)
{
	PyObject *fn = PyFunction_New((PyObject *)co, globals), *cells = cells_of(co, values), *kw = PyDict_New();
	PyObject *names = PyCode_GetVarnames(co), *args = PyList_New(0), *tuple = NULL, *r = NULL, *rest, *v;
	Py_ssize_t i, n = co->co_argcount, k = co->co_kwonlyargcount;

	for (i = 0; names && args && i < n; i++)
		PyList_Append(args, PyDict_GetItem(values, PyTuple_GET_ITEM(names, i)));
	for (i = n; names && kw && i < n + k; i++)
		PyDict_SetItem(kw, PyTuple_GET_ITEM(names, i), PyDict_GetItem(values, PyTuple_GET_ITEM(names, i)));
	if (names && args && co->co_flags & CO_VARARGS) {
		v = PyDict_GetItem(values, PyTuple_GET_ITEM(names, n + k));
		rest = v ? PySequence_List(v) : NULL;
		if (rest)
			PyList_SetSlice(args, n, n, rest);
		Py_XDECREF(rest);
	}
	if (names && kw && co->co_flags & CO_VARKEYWORDS) {
		v = PyDict_GetItem(values, PyTuple_GET_ITEM(names, n + k + !!(co->co_flags & CO_VARARGS)));
		if (v && PyDict_Check(v))
			PyDict_Update(kw, v);
	}
	tuple = args ? PyList_AsTuple(args) : NULL;
	if (fn && cells && tuple && kw && !PyErr_Occurred() &&
	    (!PyTuple_GET_SIZE(cells) || PyFunction_SetClosure(fn, cells) == 0))
		r = PyObject_Call(fn, tuple, kw);
	Py_XDECREF(tuple);
	Py_XDECREF(args);
	Py_XDECREF(names);
	Py_XDECREF(kw);
	Py_XDECREF(cells);
	Py_XDECREF(fn);
	return r;
}

/* Random numbers: the program's generators stay where they are. */
static void random_back(PyObject *state)
{
	PyObject *r = state ? edit_call("randomness", state, NULL, NULL) : NULL;

	PyErr_Clear();
	Py_XDECREF(r);
}

static void show(PyObject *v, struct buf *out)
{
	PyObject *text = PyObject_Repr(v);
	const char *s = text ? PyUnicode_AsUTF8(text) : NULL;
	int most = (int)host->option_number("repr-limit");

	PyErr_Clear();
	host->buf_addf(out, "%.*s%s\n", most, s ? s : "?", s && (int)strlen(s) > most ? "..." : "");
	Py_XDECREF(text);
}

int entry_run(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	PyObject *values = values_of(e, args, true, err), *globals = values ? globals_of(e, err) : NULL;
	PyObject *state, *r = NULL;
	int ret = -1;

	if (globals) {
		state = edit_call("randomness", NULL, NULL, NULL);
		PyErr_Clear();
		r = call_code(e->co, globals, values);
		if (r) {
			show(r, &out->text);
			ret = 0;
		} else {
			edit_raised(err, "the generated code raised");
		}
		random_back(state);
		Py_XDECREF(state);
	}
	Py_XDECREF(r);
	Py_XDECREF(globals);
	Py_XDECREF(values);
	return ret;
}

/* ---- diff ------------------------------------------------------------------------------------------------ */

struct side {
	PyObject *values, *result;           /* owned */
	double seconds;
};

/* On copies, so that neither run sees what the other changed, and the program sees neither. */
static int run_side(struct side *s, PyCodeObject *co, PyObject *globals, PyObject *values, PyObject *state,
		    const char *what, struct err *err)
{
	double began;

	s->values = edit_call("copies", values, NULL, NULL);
	if (!s->values || s->values == Py_None) {
		PyErr_Clear();
		return host->err_set(err, "a value cannot be copied, "
				"and both runs need their own: say 'with NAME=EXPR'");
	}
	random_back(state);
	began = now();
	s->result = call_code(co, globals, s->values);
	s->seconds = now() - began;
	return s->result ? 0 : edit_raised(err, what);
}

static void tell(PyObject *verdict, const struct side *made, const struct side *eager, struct buf *out)
{
	PyObject *worst = PyTuple_GET_ITEM(verdict, 1), *why = PyTuple_GET_ITEM(verdict, 2);
	bool equal = PyTuple_GET_ITEM(verdict, 0) == Py_True;

	host->buf_addf(out, "%s", equal ? "equal to eager" : "not equal to eager");
	if (PyFloat_Check(worst))
		host->buf_addf(out, ", max difference %g", PyFloat_AS_DOUBLE(worst));
	if (!equal && PyUnicode_Check(why) && PyUnicode_GET_LENGTH(why))
		host->buf_addf(out, " (%s)", PyUnicode_AsUTF8(why));
	host->buf_addf(out, "\ngenerated %.3f ms, eager %.3f ms\n", made->seconds * 1e3, eager->seconds * 1e3);
}

int entry_diff(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	PyObject *values = values_of(e, args, true, err), *globals = values ? globals_of(e, err) : NULL;
	PyObject *state, *both, *other;
	PyObject *verdict = NULL;
	struct side made = { 0 }, eager = { 0 };
	int ret = -1;

	if (!globals) {
		Py_XDECREF(values);
		return -1;
	}
	state = edit_call("randomness", NULL, NULL, NULL);
	PyErr_Clear();
	if (run_side(&made, e->co, globals, values, state, "the generated code raised", err) == 0 &&
	    run_side(&eager, e->func->co, globals, values, state, "the function itself raised", err) == 0) {
		both = PyTuple_Pack(2, made.result, made.values);
		other = PyTuple_Pack(2, eager.result, eager.values);
		verdict = both && other ? edit_call("differences", both, other, NULL) : NULL;
		Py_XDECREF(both);
		Py_XDECREF(other);
		if (verdict && PyTuple_Check(verdict) && PyTuple_GET_SIZE(verdict) == 3)
			ret = 0;
		else
			edit_raised(err, "the results cannot be compared");
	}
	if (ret == 0)
		tell(verdict, &made, &eager, &out->text);
	random_back(state);
	PyErr_Clear();
	Py_XDECREF(verdict);
	Py_XDECREF(made.result);
	Py_XDECREF(made.values);
	Py_XDECREF(eager.result);
	Py_XDECREF(eager.values);
	Py_XDECREF(state);
	Py_XDECREF(globals);
	Py_XDECREF(values);
	return ret;
}
