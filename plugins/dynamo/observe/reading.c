/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes what Dynamo reads while it compiles: values with a source, functions that it inlines, results that it takes
   once, hooks of modules for which it asks a guard.  Changes nothing, and realizes no variable of Dynamo's. */
#include "model/compiling.h"
#include "model/reads.h"
#include "observe/dynamo_observe.h"
#include "observe/phase_times.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/weak.h"
#include "torch/wrapper.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_READS = 100000, MOST_CALLERS = 200 };

/* Names of attributes that are read at each note. */
static struct {
	PyObject *tx, *name, *f_code, *lineno, *parent, *value, *cache, *vt, *fn, *funcvar, *obj, *locals, *create_fn,
		*called;
} names;

static PyObject *cached_property; /* of functools; NULL: not found */

static void find_cached_property(void)
{
	PyObject *name = PyUnicode_FromString("functools"), *functools = name ? PyImport_GetModule(name) : NULL;

	cached_property = attr(functools, "cached_property");
	Py_XDECREF(functools);
	Py_XDECREF(name);
	PyErr_Clear();
}

static bool names_found(void)
{
	static const struct {
		PyObject **to;
		const char *text;
	} all[] = {
		{ &names.tx, "tx" },
		{ &names.name, "name" },
		{ &names.f_code, "f_code" },
		{ &names.lineno, "lineno" },
		{ &names.parent, "parent" },
		{ &names.value, "value" },
		{ &names.cache, "_cache" },
		{ &names.vt, "vt" },
		{ &names.fn, "fn" },
		{ &names.funcvar, "funcvar" },
		{ &names.obj, "obj" },
		{ &names.locals, "symbolic_locals" },
		{ &names.create_fn, "create_fn" },
		{ &names.called, "__name__" },
	};
	size_t i;

	if (names.called)
		return true;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*all[i].to = PyUnicode_InternFromString(all[i].text);
		if (!*all[i].to)
			return false;
	}
	find_cached_property();
	return true;
}

/* An attribute without __getattr__(), by which lazy variables would be realized: a new reference, or NULL without an
   exception. */
static PyObject *plain_attr(PyObject *v, PyObject *name)
{
	PyObject *a = v ? PyObject_GenericGetAttr(v, name) : NULL;

	PyErr_Clear();
	return a;
}

static double reading_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The notes of the compile that runs in this thread; NULL: none does. */
static struct reads *reads_here(struct compiling *c)
{
	if (!c || c->began <= 0 || !names_found())
		return NULL;
	if (!c->parts.reads)
		c->parts.reads = reads_new();
	return c->parts.reads->known ? c->parts.reads : NULL;
}

/* Is this new?  A key: a str, or another object that is equal only to itself. */
static bool first_time(struct reads *r, PyObject *key)
{
	r->notes++;
	if (r->n >= MOST_READS || PyDict_Contains(r->known, key) != 0)
		return false;
	return PyDict_SetItem(r->known, key, Py_True) == 0;
}

/* ---- the line ------------------------------------------------------------------------------------------------ */

/* Is it code of the program?  Most questions in a row are about few code objects; an address may be used again, but
   then for code that Dynamo inlines next, and only the line that is shown depends on it. */
static bool is_own_code(PyCodeObject *co)
{
	static struct {
		PyCodeObject *co;
		const char *file;
		bool own;
	} last[64];
	size_t at = (uintptr_t)(void *)co / 64 % 64;
	const char *file = py_text_utf8_kept(co->co_filename);

	if (last[at].co != co || last[at].file != file) {
		last[at].co = co;
		last[at].file = file;
		last[at].own = host->files.is_user(file);
	}
	return last[at].own;
}

static bool take_line(PyObject *tx, PyCodeObject *co, struct read *out)
{
	PyObject *line = plain_attr(tx, names.lineno);

	out->file = py_text_utf8_kept(co->co_filename);
	out->function = py_text_utf8_kept(co->co_qualname);
	out->line = line && PyLong_Check(line) ? (int)PyLong_AsLong(line) : 0;
	PyErr_Clear();
	Py_XDECREF(line);
	return out->line > 0;
}

/* The innermost line of the program; where there is none, that is not torch's. */
static void find_line(PyObject *tx, struct read *out)
{
	PyObject *at = Py_XNewRef(tx), *up, *co;
	bool found = false;
	int i;

	for (i = 0; at && at != Py_None && !found && i < MOST_CALLERS; i++) {
		co = plain_attr(at, names.f_code);
		if (co && PyCode_Check(co)) {
			if (is_own_code((PyCodeObject *)co))
				found = take_line(at, (PyCodeObject *)co, out);
			else if (!out->file && !attrs_torch_code((PyCodeObject *)co))
				take_line(at, (PyCodeObject *)co, out);
		}
		Py_XDECREF(co);
		up = plain_attr(at, names.parent);
		Py_SETREF(at, up);
	}
	Py_XDECREF(at);
}

static PyObject *weak_new(PyObject *v)
{
	PyObject *w = PyWeakref_NewRef(v, NULL);

	PyErr_Clear();
	return w;
}

/* torch.Tensor, borrowed; NULL: it has none. */
static PyObject *tensor_class(void)
{
	static PyObject *tensor;

	if (!tensor)
		tensor = attrs_get(ATTR_TENSOR);
	return tensor;
}

/* ---- classes ------------------------------------------------------------------------------------------------- */

/* The names of its own dict and where what they name is: a new reference, or NULL.  Classes seldom change: CPython
   numbers their states, and the dict of the last one is used again. */
static PyObject *names_of(PyTypeObject *type, PyObject *key)
{
	enum { MOST = 5000 };
	static PyObject *known; /* {address: (number, names)} */
	PyObject *old, *all, *row, *name, *value, *where;
	Py_ssize_t at = 0;

	if (!known || PyDict_GET_SIZE(known) > MOST)
		Py_XSETREF(known, PyDict_New());
	old = known ? PyDict_GetItemWithError(known, key) : NULL;
	if (old && type->tp_version_tag && PyLong_AsUnsignedLong(PyTuple_GET_ITEM(old, 0)) == type->tp_version_tag)
		return Py_NewRef(PyTuple_GET_ITEM(old, 1));
	all = PyDict_New();
	while (all && PyDict_Next(type->tp_dict, &at, &name, &value)) {
		where = PyUnicode_CheckExact(name) ? PyLong_FromVoidPtr(value) : NULL;
		if (where)
			PyDict_SetItem(all, name, where);
		Py_XDECREF(where);
	}
	row = all && known ? Py_BuildValue("(kO)", (unsigned long)type->tp_version_tag, all) : NULL;
	if (row)
		PyDict_SetItem(known, key, row);
	Py_XDECREF(row);
	return all;
}

/* The class and its bases, as far as a program can change them; of torch's tensors only what is derived from them. */
static void note_classes(struct reads *r, PyTypeObject *type)
{
	PyTypeObject *tensor = (PyTypeObject *)tensor_class(), *base;
	struct class_read *new;
	PyObject *key;
	Py_ssize_t i;

	for (i = 0; type->tp_mro && i < PyTuple_GET_SIZE(type->tp_mro); i++) {
		base = (PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, i);
		if (!PyType_HasFeature(base, Py_TPFLAGS_HEAPTYPE) || base == tensor || !base->tp_dict)
			continue;
		key = PyLong_FromVoidPtr(base);
		if (key && first_time(r, key)) {
			r->class = mem_grow(r->class, &r->classes_cap, (size_t)r->nclasses + 1, sizeof(*r->class));
			new = &r->class[r->nclasses++];
			new->weak = weak_new((PyObject *)base);
			new->names = names_of(base, key);
		}
		Py_XDECREF(key);
	}
	PyErr_Clear();
}

static void note_classes_of(struct reads *r, PyObject *value)
{
	if (PyType_Check(value))
		note_classes(r, (PyTypeObject *)value);
	if (PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE))
		note_classes(r, Py_TYPE(value));
}

/* ---- values with a source ------------------------------------------------------------------------------------ */

/* VariableBuilder.__call__(self, value) */
static void builds(struct call *call)
{
	struct reads *r = reads_here(compiling_top());
	const double began = r ? reading_clock() : 0;
	PyObject *self = call_arg(call, 0, "self"), *value = call_arg(call, 1, "value"), *name, *tx;
	struct read *new;

	if (!r || !self || !value)
		return;
	name = plain_attr(self, names.name);
	if (name && PyUnicode_CheckExact(name) && PyUnicode_GET_LENGTH(name) && first_time(r, name)) {
		new = reads_add(r, READ_VALUE);
		new->name = Py_NewRef(name);
		reads_key_of(value, &new->key);
		note_classes_of(r, value);
		tx = plain_attr(self, names.tx);
		find_line(tx, new);
		Py_XDECREF(tx);
	}
	PyErr_Clear();
	Py_XDECREF(name);
	r->seconds += reading_clock() - began;
}

const struct watcher watch_build = { .before = builds };

/* ---- functions that are inlined ------------------------------------------------------------------------------- */

/* The object that a variable of Dynamo stands for: a new reference, or NULL. */
static PyObject *object_of(PyObject *variable)
{
	PyObject *v = plain_attr(variable, names.value), *cache, *inner;

	if (v)
		return v;
	cache = plain_attr(variable, names.cache);
	v = plain_attr(cache, names.value);
	inner = v ? NULL : plain_attr(cache, names.vt);
	if (inner)
		v = plain_attr(inner, names.value);
	Py_XDECREF(inner);
	Py_XDECREF(cache);
	return v;
}

/* The object whose method runs: what it is bound to, or its first argument. */
static PyObject *receiver_of(PyObject *tx, PyObject *funcvar, PyCodeObject *co)
{
	PyObject *bound = plain_attr(funcvar, names.obj), *v = object_of(bound), *locals = NULL, *args = NULL, *first;

	if (!v && co->co_argcount) {
		locals = plain_attr(tx, names.locals);
		args = PyCode_GetVarnames(co);
		first = locals && PyDict_Check(locals) && args && PyTuple_GET_SIZE(args) ?
				PyDict_GetItemWithError(locals, PyTuple_GET_ITEM(args, 0)) :
				NULL;
		v = first ? object_of(first) : NULL;
	}
	PyErr_Clear();
	Py_XDECREF(args);
	Py_XDECREF(locals);
	Py_XDECREF(bound);
	return v;
}

/* Does this attribute of a class lead to the function: itself, or as a method, a property or the like? */
static bool leads_to(PyObject *attribute, PyObject *fn)
{
	static const char *const ways[] = { "__func__", "fget", "fset", "func" };
	PyObject *type = (PyObject *)Py_TYPE(attribute), *inner;
	bool yes = attribute == fn;
	size_t i;

	if (yes || (type != (PyObject *)&PyProperty_Type && type != (PyObject *)&PyClassMethod_Type &&
		    type != (PyObject *)&PyStaticMethod_Type && type != cached_property))
		return yes;
	for (i = 0; !yes && i < sizeof(ways) / sizeof(*ways); i++) {
		inner = attr(attribute, ways[i]);
		yes = inner == fn;
		Py_XDECREF(inner);
	}
	return yes;
}

/* The name under which this class itself has the function: borrowed, or NULL. */
static PyObject *name_in(PyObject *class, PyObject *fn, PyObject *likely)
{
	PyObject *dict = ((PyTypeObject *)class)->tp_dict, *key, *value;
	Py_ssize_t at = 0;

	value = dict ? PyDict_GetItemWithError(dict, likely) : NULL;
	if (value && leads_to(value, fn))
		return likely;
	while (dict && PyDict_Next(dict, &at, &key, &value))
		if (leads_to(value, fn))
			return key;
	return NULL;
}

/* Finds the class in which the method was looked up, and the one of its bases that has it. */
static void find_class(PyObject *receiver, PyObject *fn, struct read *out)
{
	PyTypeObject *type = PyType_Check(receiver) ? (PyTypeObject *)receiver : Py_TYPE(receiver);
	PyObject *likely = ((PyFunctionObject *)fn)->func_name, *class, *name = NULL, *dict, *before;
	Py_ssize_t i, k;
	char *title;
	int tries;

	/* a class's own method, or one of its metaclass */
	for (tries = 0; !name && tries < (PyType_Check(receiver) ? 2 : 1); tries++) {
		type = tries ? Py_TYPE(receiver) : type;
		for (i = 0; type->tp_mro && !name && i < PyTuple_GET_SIZE(type->tp_mro); i++) {
			class = PyTuple_GET_ITEM(type->tp_mro, i);
			name = name_in(class, fn, likely);
			if (!name)
				continue;
			out->name = Py_NewRef(name);
			out->owner = weak_new((PyObject *)type);
			out->holder = weak_new(class);
			title = mem_fmt("%s.%s", _PyType_Name((PyTypeObject *)class), py_text_utf8_kept(name));
			out->title = py_text_keep(title);
			free(title);
			out->first = true;
			for (k = 0; k < i; k++) {
				dict = ((PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, k))->tp_dict;
				before = dict ? PyDict_GetItemWithError(dict, name) : NULL;
				out->first = out->first && !before; /* super() finds a later one */
			}
		}
	}
	PyErr_Clear();
}

static bool first_function(struct reads *r, PyObject *fn, PyObject *receiver)
{
	PyObject *of = !receiver ? Py_None : PyType_Check(receiver) ? receiver : (PyObject *)Py_TYPE(receiver);
	PyObject *key = Py_BuildValue("(nn)", (Py_ssize_t)(uintptr_t)(void *)fn, (Py_ssize_t)(uintptr_t)(void *)of);
	bool yes = key && first_time(r, key);

	PyErr_Clear();
	Py_XDECREF(key);
	return yes;
}

static void function_runs(struct reads *r, PyObject *tx, PyObject *funcvar)
{
	PyObject *co = plain_attr(tx, names.f_code), *fn = plain_attr(funcvar, names.fn), *receiver = NULL, *inner,
		 *caller;
	struct read *new;

	if (!fn) { /* a generator's function */
		inner = plain_attr(funcvar, names.vt);
		fn = plain_attr(inner, names.fn);
		Py_XDECREF(inner);
	}
	if (fn && PyMethod_Check(fn))
		Py_SETREF(fn, Py_NewRef(PyMethod_GET_FUNCTION(fn)));
	if (fn && PyFunction_Check(fn) && co && PyCode_Check(co)) {
		receiver = receiver_of(tx, funcvar, (PyCodeObject *)co);
		if (first_function(r, fn, receiver)) {
			new = reads_add(r, READ_CODE);
			reads_key_of(fn, &new->key);
			new->title = py_text_utf8_kept(((PyCodeObject *)co)->co_qualname);
			if (receiver) {
				find_class(receiver, fn, new);
				note_classes_of(r, receiver);
			}
			caller = plain_attr(tx, names.parent);
			find_line(caller, new);
			Py_XDECREF(caller);
		}
	}
	PyErr_Clear();
	Py_XDECREF(receiver);
	Py_XDECREF(co);
	Py_XDECREF(fn);
}

void reading_begins(struct compiling *c, PyObject *tx)
{
	const double began = reading_clock();
	struct reads *r;
	PyObject *funcvar;

	if (!c || !tx || !names_found())
		return;
	if (!strcmp(_PyType_Name(Py_TYPE(tx)), "InstructionTranslator")) {
		reads_free(c->parts.reads); /* of an attempt that Dynamo gave up */
		c->parts.reads = NULL;
		return;
	}
	r = reads_here(c);
	funcvar = r ? plain_attr(tx, names.funcvar) : NULL;
	if (funcvar) {
		function_runs(r, tx, funcvar);
		r->seconds += reading_clock() - began;
	}
	Py_XDECREF(funcvar);
}

/* ---- results that are taken once ------------------------------------------------------------------------------- */

/* invoke_and_store_as_constant(tx, fn, name, args, kwargs) */
static void taken_once(struct call *call)
{
	struct reads *r = reads_here(compiling_top());
	PyObject *tx = call_arg(call, 0, "tx"), *fn = call_arg(call, 1, "fn"), *name = call_arg(call, 2, "name");
	struct read *new;

	if (!r || !fn || !name || !PyUnicode_Check(name) || !first_function(r, fn, NULL))
		return;
	new = reads_add(r, READ_CONSTANT);
	new->name = Py_NewRef(name);
	new->title = py_text_utf8_kept(name);
	reads_key_of(fn, &new->key);
	find_line(tx, new);
}

const struct watcher watch_constant_result = { .before = taken_once };

/* ---- guards that are asked for --------------------------------------------------------------------------------- */

static bool is_of_hooks(PyObject *guard)
{
	PyObject *create = plain_attr(guard, names.create_fn),
		 *name = create ? PyObject_GetAttr(create, names.called) : NULL;
	bool yes = name && PyUnicode_Check(name) &&
		   !PyUnicode_CompareWithASCIIString(name, "EMPTY_NN_MODULE_HOOKS_DICT");

	PyErr_Clear();
	Py_XDECREF(name);
	Py_XDECREF(create);
	return yes;
}

static void note_asked(struct reads *r, PyObject *guard)
{
	PyObject *name = PyObject_GetAttr(guard, names.name);
	struct read *new;

	PyErr_Clear();
	if (name && PyUnicode_CheckExact(name) && PyUnicode_GET_LENGTH(name)) {
		PySet_Add(r->asked, name);
		if (is_of_hooks(guard) && first_time(r, name)) {
			new = reads_add(r, READ_HOOKS);
			new->name = Py_NewRef(name);
			new->key.kind = KEY_ITEMS;
			new->key.length = 0;
			new->key.name = py_text_keep("dict");
		}
	}
	PyErr_Clear();
	Py_XDECREF(name);
}

/* CheckFunctionManager.__init__(self, ..., what has the guards, ...): all that were asked for, those too that no guard
   is made for. */
static void guards_asked(struct call *call)
{
	struct reads *r = reads_here(compiling_top());
	PyObject *guards = NULL, *it, *guard;
	double began;
	Py_ssize_t i;

	watch_guards_timed.before(call);
	began = r ? reading_clock() : 0;
	for (i = 1; r && i < call->n && !guards; i++)
		guards = attr(call->arg[i], "guards");
	it = guards ? PyObject_GetIter(guards) : NULL;
	if (it && !r->asked)
		r->asked = PySet_New(NULL);
	while (it && r->asked && (guard = PyIter_Next(it))) {
		note_asked(r, guard);
		Py_DECREF(guard);
	}
	PyErr_Clear();
	Py_XDECREF(it);
	Py_XDECREF(guards);
	if (r)
		r->seconds += reading_clock() - began;
}

static void guards_made(struct call *call)
{
	watch_guards_timed.after(call);
}

const struct watcher watch_guards_asked = { .before = guards_asked, .after = guards_made };
