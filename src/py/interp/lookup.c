/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the object of a name and the code of a value. Reads dicts and known types only: attribute access could run
   the program's code.  Knows no location and no breakpoint. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>
#include "base/buf.h"
#include "py/interp/lookup.h"
#include "py/interp/names.h"
#include "py/value/value.h"

#define DEEPEST 8 /* wrappers around wrappers, classes in classes */

static int lookup_value_code(PyObject *v, int deep, lookup_add *add, void *arg);

/* The object's own dict, borrowed, or NULL: of a function, a module, or of an object of the program's classes. */
static PyObject *own_dict(PyObject *v)
{
	bool known = PyFunction_Check(v) || PyModule_Check(v) || Py_TYPE(v)->tp_flags & Py_TPFLAGS_HEAPTYPE;

	return known ? (PyObject *)value_own_dict((struct py_obj *)v) : NULL;
}

/* A value of the object's own dict, borrowed. */
static PyObject *own(PyObject *v, const char *name)
{
	PyObject *dict = own_dict(v);

	return dict ? PyDict_GetItemString(dict, name) : NULL;
}

static PyObject *of_type(PyTypeObject *t, const char *name)
{
	return (PyObject *)value_of_class((struct py_obj *)t, name);
}

static int members(PyTypeObject *t, int deep, lookup_add *add, void *arg)
{
	PyObject *dict = (PyObject *)py_type_dict((struct py_obj *)t), *key, *value;
	Py_ssize_t pos = 0;
	int n = 0;

	while (dict && PyDict_Next(dict, &pos, &key, &value))
		if (!PyType_Check(value) || deep < 3)
			n += lookup_value_code(value, deep + 1, add, arg);
	return n;
}

/* The object in a slot that some known wrapper type keeps as a plain member. */
static int wrapper_members(PyObject *v, const char *const *names, int deep, lookup_add *add, void *arg)
{
	PyObject *inner;
	int n = 0;

	for (; *names; names++) {
		inner = PyObject_GetAttrString(v, *names);
		if (!inner)
			PyErr_Clear();
		else if (inner != Py_None)
			n += lookup_value_code(inner, deep + 1, add, arg);
		Py_XDECREF(inner);
	}
	return n;
}

static int lookup_value_code(PyObject *v, int deep, lookup_add *add, void *arg)
{
	static const char *const accessors[] = { "fget", "fset", "fdel", NULL };
	static const char *const wrapped[] = { "__func__", NULL };
	PyObject *inner;

	if (deep > DEEPEST)
		return 0;
	if (PyCode_Check(v)) {
		add(arg, (struct py_code *)v);
		return 1;
	}
	if (PyMethod_Check(v))
		return lookup_value_code(PyMethod_GET_FUNCTION(v), deep + 1, add, arg);
	inner = own(v, "__wrapped__");
	if (inner)
		return lookup_value_code(inner, deep + 1, add, arg);
	if (PyFunction_Check(v))
		return lookup_value_code(PyFunction_GET_CODE(v), deep, add, arg);
	if (PyGen_CheckExact(v) || PyCoro_CheckExact(v) || PyAsyncGen_CheckExact(v)) {
		inner = (PyObject *)py_generator_code((struct py_obj *)v);
		return inner ? lookup_value_code(inner, deep, add, arg) : 0;
	}
	if (Py_TYPE(v) == &PyProperty_Type)
		return wrapper_members(v, accessors, deep, add, arg);
	if (Py_TYPE(v) == &PyClassMethod_Type || Py_TYPE(v) == &PyStaticMethod_Type)
		return wrapper_members(v, wrapped, deep, add, arg);
	if (PyType_Check(v))
		return members((PyTypeObject *)v, deep, add, arg);
	if (!strcmp(Py_TYPE(v)->tp_name, "functools.partial")) {
		static const char *const func[] = { "func", NULL };

		return wrapper_members(v, func, deep, add, arg);
	}
	if (PyModule_Check(v))
		return 0;
	inner = of_type(Py_TYPE(v), "__call__");
	return inner && PyFunction_Check(inner) ? lookup_value_code(inner, deep + 1, add, arg) : 0;
}

int lookup_code(struct py_obj *v, lookup_add *add, void *arg)
{
	return lookup_value_code((PyObject *)v, 0, add, arg);
}

/* One step of a dotted name: module dict, class dict, or an object's own dict; borrowed. */
static PyObject *attribute_of(PyObject *v, const char *name)
{
	PyObject *found;

	if (PyType_Check(v))
		return of_type((PyTypeObject *)v, name);
	found = own(v, name);
	return found ? found : of_type(Py_TYPE(v), name);
}

/* The rest of a dotted name, "a.b.c" below v: borrowed, or NULL. */
static PyObject *follow_dotted(PyObject *v, const char *rest)
{
	char part[256];
	size_t n;

	for (; v && *rest; rest += n + (rest[n] == '.')) {
		n = strcspn(rest, ".");
		if (n >= sizeof(part))
			return NULL;
		memcpy(part, rest, n);
		part[n] = '\0';
		v = attribute_of(v, part);
	}
	return v;
}

struct py_obj *lookup_member(struct py_obj *v, const char *name)
{
	return (struct py_obj *)Py_XNewRef(attribute_of((PyObject *)v, name));
}

struct py_obj *lookup_class_attribute(struct py_obj *v, const char *name)
{
	return (struct py_obj *)of_type(Py_TYPE((PyObject *)v), name);
}

void lookup_members(struct py_obj *v, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg)
{
	PyTypeObject *t = PyType_Check((PyObject *)v) ? (PyTypeObject *)v : Py_TYPE((PyObject *)v);
	Py_ssize_t i;

	names_each((struct py_obj *)own_dict((PyObject *)v), each, arg);
	for (i = 0; t->tp_mro && i < PyTuple_GET_SIZE(t->tp_mro); i++)
		names_each(py_type_dict((struct py_obj *)PyTuple_GET_ITEM(t->tp_mro, i)), each, arg);
}

struct py_obj *lookup_dotted(const char *name, bool *module)
{
	/* borrowed */
	PyObject *modules = PyImport_GetModuleDict(), *v = NULL;
	char part[256];
	size_t len = strlen(name), n;
	const char *rest;

	*module = false;
	if (len >= sizeof(part))
		return NULL;
	/* the longest module first: a.b.c, a.b, a */
	for (n = len; n > 0; n--) {
		if (n != len && name[n] != '.')
			continue;
		memcpy(part, name, n);
		part[n] = '\0';
		v = PyDict_GetItemString(modules, part);
		if (v)
			break;
	}
	if (!v)
		return NULL;
	*module = true;
	rest = name + n + (name[n] == '.');
	return (struct py_obj *)Py_XNewRef(follow_dotted(v, rest));
}

/* The value of a dotted name in a loaded module of this file; borrowed; NULL: there is none. */
static PyObject *dotted_in_file(const char *file, const char *name)
{
	/* borrowed */
	PyObject *modules = PyImport_GetModuleDict(), *module, *v;
	const char *text;
	Py_ssize_t pos = 0;

	while (PyDict_Next(modules, &pos, NULL, &module)) {
		v = PyModule_Check(module) ? own(module, "__file__") : NULL;
		text = v && PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;
		PyErr_Clear();
		v = text && !strcmp(text, file) ? follow_dotted(module, name) : NULL;
		if (v)
			return v;
	}
	return NULL;
}

/* "module.Class.__setattr__"; NULL: it is not a function in Python. */
static char *setter_name(PyTypeObject *t)
{
	PyObject *f = of_type(t, "__setattr__"), *text = NULL;
	const char *s;
	char *name;

	if (f && PyFunction_Check(f) && ((PyFunctionObject *)f)->func_module)
		text = PyUnicode_FromFormat("%S.%U", ((PyFunctionObject *)f)->func_module,
					    ((PyFunctionObject *)f)->func_qualname);
	s = text ? PyUnicode_AsUTF8(text) : NULL;
	name = s ? mem_str(s) : NULL;
	PyErr_Clear();
	Py_XDECREF(text);
	return name;
}

bool lookup_stores(const char *file, const char *cls, const char *attribute, char **by)
{
	/* owned */
	PyObject *c = Py_XNewRef(dotted_in_file(file, cls));
	/* borrowed */
	PyObject *v;
	bool module, yes = false;

	*by = NULL;
	if (!c)
		c = (PyObject *)lookup_dotted(cls, &module);
	if (c && PyType_Check(c)) {
		v = of_type((PyTypeObject *)c, attribute);
		yes = v && Py_TYPE(v)->tp_descr_set;
		if (!yes && ((PyTypeObject *)c)->tp_setattro != PyObject_GenericSetAttr) {
			yes = true;
			*by = setter_name((PyTypeObject *)c);
		}
	}
	Py_XDECREF(c);
	return yes;
}

struct py_code *lookup_function_code(struct py_obj *v, const char *qualname)
{
	PyObject *f = (PyObject *)v, *name = PyFunction_Check(f) ? ((PyFunctionObject *)f)->func_qualname : NULL;

	if (!name || !PyUnicode_Check(name) || PyUnicode_CompareWithASCIIString(name, qualname) ||
	    own(f, "__wrapped__"))
		return NULL;
	return (struct py_code *)PyFunction_GET_CODE(f);
}

/* Is this class defined in the module of this name? */
static bool defined_in(PyObject *v, PyObject *module)
{
	PyObject *of = PyType_Check(v) ? of_type((PyTypeObject *)v, "__module__") : NULL;

	return of && PyUnicode_Check(of) && PyUnicode_Check(module) && PyUnicode_Compare(of, module) == 0;
}

int lookup_method(const char *name, lookup_add *add, void *arg)
{
	/* borrowed: nothing can change, the GIL is not released */
	PyObject *modules = PyImport_GetModuleDict(), *key, *m, *dict, *v;
	const char *dot = strchr(name, '.');
	char part[256];
	Py_ssize_t at = 0;
	int n = 0;

	while (dot && strlen(name) < sizeof(part) && PyDict_Next(modules, &at, &key, &m)) {
		memcpy(part, name, (size_t)(dot - name));
		part[dot - name] = '\0';
		dict = PyModule_Check(m) ? PyModule_GetDict(m) : NULL;
		v = dict ? PyDict_GetItemString(dict, part) : NULL;
		if (v && defined_in(v, key) && (v = follow_dotted(v, dot + 1)))
			n += lookup_value_code(v, 0, add, arg);
	}
	PyErr_Clear();
	return n;
}

int lookup_files(bool (*fits)(void *arg, const char *file), lookup_add *add, void *arg)
{
	/* borrowed: nothing can change, the GIL is not released */
	PyObject *modules = PyImport_GetModuleDict();
	PyObject *name, *m, *file, *key, *v, *dict;
	Py_ssize_t pos = 0, at;
	const char *text;
	int n = 0;

	while (PyDict_Next(modules, &pos, &name, &m)) {
		dict = PyModule_Check(m) ? PyModule_GetDict(m) : NULL;
		file = dict ? PyDict_GetItemString(dict, "__file__") : NULL;
		text = file && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;
		if (!text) {
			PyErr_Clear();
			continue;
		}
		if (!fits(arg, text))
			continue;
		at = 0;
		while (PyDict_Next(dict, &at, &key, &v))
			if (PyFunction_Check(v) || (Py_TYPE(v)->tp_flags & Py_TPFLAGS_HEAPTYPE) || PyType_Check(v))
				n += lookup_value_code(v, 0, add, arg);
	}
	return n;
}

static bool is_plain_lookup(PyObject *v)
{
	return v == Py_None || PyBool_Check(v) || PyLong_CheckExact(v) || PyFloat_CheckExact(v) ||
	       PyComplex_CheckExact(v) || PyUnicode_CheckExact(v) || PyBytes_CheckExact(v);
}

int lookup_plain_equal(struct py_obj *a, struct py_obj *b)
{
	PyObject *x = (PyObject *)a, *y = (PyObject *)b;
	int same;

	if (!is_plain_lookup(x) || !is_plain_lookup(y) || Py_TYPE(x) != Py_TYPE(y))
		return -1;
	if (x == y) /* NaN as well */
		return 1;
	same = PyObject_RichCompareBool(x, y, Py_EQ);
	if (same < 0)
		PyErr_Clear();
	return same > 0;
}

/* ---- the function that wrappers stand for ----------------------------------------------------------- */

/* What v wraps, borrowed; NULL: nothing. */
static PyObject *wrapped_in(PyObject *v)
{
	PyObject *found, *function;

	if (PyMethod_Check(v)) { /* bound to a module of layers: of its __call__() only forward() is the user's */
		function = PyMethod_GET_FUNCTION(v);
		found = own(PyMethod_GET_SELF(v), "_modules") ? of_type(Py_TYPE(PyMethod_GET_SELF(v)), "__call__") :
								NULL;
		return found == function ? PyMethod_GET_SELF(v) : function;
	}
	found = own(v, "__wrapped__");
	return found || PyFunction_Check(v) || !own(v, "_modules") ? found : attribute_of(v, "forward");
}

struct py_obj *lookup_innermost(struct py_obj *of)
{
	PyObject *v = (PyObject *)of, *inner;
	int deep;

	for (deep = 0; deep < 50 && !PyCode_Check(v) && !PyType_Check(v) && (inner = wrapped_in(v)); deep++)
		v = inner;
	return PyFunction_Check(v) ? (struct py_obj *)Py_NewRef(v) : NULL;
}
