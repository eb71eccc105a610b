/* SPDX-License-Identifier: BSD-3-Clause */
/* How a tensor is shown: type, shape and device, whether its memory is freed, elements of small ones on the CPU, never
   a device synchronisation, and none of the program's code (no __torch_function__, no __repr__).  Knows torch's C
   getters only. */
#include <Python.h>
#include <stddef.h>
#include <string.h>
#include "plugin.h"
#include "elements.h"
#include "group_timeout.h"
#include "rank_breakpoint.h"
#include "recorded_shapes.h"
#include "storage.h"
#include "tensor.h"
#include "tensor_parts.h"
#include "view_values.h"

static const struct cdbg_host *host;
const struct cdbg_host *tensor_host;

/* All owned, for the life of the process. */
static struct {
	PyTypeObject *tensor, *module, *dtype, *device, *size;
	PyObject *shape, *kind, *where, *grad; /* getset descriptors of torch._C.TensorBase */
	PyObject *version;		       /* the same, or NULL */
	PyObject *disable;		       /* torch._C.DisableTorchFunction */
	PyObject *no_dispatch;		       /* the __torch_dispatch__ of a plain tensor */
	PyObject *enter, *exit, *dispatch_name, *module_name, *fake_device; /* interned */
} T;
static bool reads_elements; /* this torch has what that needs */

static const struct {
	const char *torch, *shown;
} short_names[] = {
	{ "float32", "f32" },	{ "float64", "f64" },	  { "float16", "f16" }, { "bfloat16", "bf16" },
	{ "int64", "i64" },	{ "int32", "i32" },	  { "int16", "i16" },	{ "int8", "i8" },
	{ "uint8", "u8" },	{ "uint16", "u16" },	  { "uint32", "u32" },	{ "uint64", "u64" },
	{ "complex64", "c64" }, { "complex128", "c128" }, { "bool", "bool" },
};

static bool is_instance(PyObject *v, PyTypeObject *type)
{
	return type && PyType_IsSubtype(Py_TYPE(v), type);
}

/* NULL without an exception when it fails. */
static PyObject *get_property(PyObject *descriptor, PyObject *v)
{
	PyObject *r = Py_TYPE(descriptor)->tp_descr_get(descriptor, v, (PyObject *)Py_TYPE(v));

	if (!r)
		PyErr_Clear();
	return r;
}

static void add_field(struct buf *out, const char *s)
{
	buf_add(out, s, strlen(s));
}

static void add_str(PyObject *v, struct buf *out)
{
	PyObject *s = v ? PyObject_Str(v) : NULL;
	const char *text = s ? PyUnicode_AsUTF8(s) : NULL;

	if (!text)
		PyErr_Clear();
	add_field(out, text ? text : "?");
	Py_XDECREF(s);
}

/* torch has one object a dtype, for the life of the process: what was shown once is found by its address. */
static const char *dtype_name(PyObject *dtype)
{
	static struct {
		PyObject *dtype;
		char name[16];
	} seen[32];
	static char other[16];
	PyObject *s;
	const char *name;
	size_t i, k;

	for (k = 0; dtype && k < 32 && seen[k].dtype; k++)
		if (seen[k].dtype == dtype)
			return seen[k].name;
	s = dtype ? PyObject_Repr(dtype) : NULL; /* torch's own C function */
	name = s ? PyUnicode_AsUTF8(s) : NULL;
	if (name && !strncmp(name, "torch.", 6))
		name += 6;
	for (i = 0; name && i < sizeof(short_names) / sizeof(*short_names); i++)
		if (!strcmp(name, short_names[i].torch)) {
			name = short_names[i].shown;
			break;
		}
	snprintf(other, sizeof(other), "%s", name ? name : "?");
	if (name && k < 32 && strlen(name) < sizeof(seen[k].name)) {
		seen[k].dtype = Py_NewRef(dtype);
		memcpy(seen[k].name, name, strlen(name) + 1);
	}
	PyErr_Clear();
	Py_XDECREF(s);
	return other;
}

/* A symbolic size is shown by its expression: asking it for a number would add a guard. */
static void add_size(PyObject *size, struct buf *out)
{
	PyObject *node, *expr;
	char text[32];

	if (PyLong_Check(size)) {
		snprintf(text, sizeof(text), "%lld", PyLong_AsLongLong(size));
		add_field(out, text);
		return;
	}
	node = PyObject_GetAttrString(size, "node");
	expr = node ? PyObject_GetAttrString(node, "_expr") : NULL;
	add_str(expr, out);
	Py_XDECREF(expr);
	Py_XDECREF(node);
}

static void add_shape(PyObject *shape, struct buf *out)
{
	Py_ssize_t i;

	add_field(out, "[");
	for (i = 0; shape && PyTuple_Check(shape) && i < PyTuple_GET_SIZE(shape); i++) {
		if (i)
			add_field(out, ",");
		add_size(PyTuple_GET_ITEM(shape, i), out);
	}
	add_field(out, shape ? "]" : "?]");
}

/* The getters ask subclasses and modes of the program first, unless that is switched off. */
static PyObject *quiet_enter(void)
{
	PyObject *guard = PyObject_CallNoArgs(T.disable), *r;

	r = guard ? PyObject_CallMethodNoArgs(guard, T.enter) : NULL;
	if (!r)
		Py_CLEAR(guard);
	Py_XDECREF(r);
	return guard;
}

static void quiet_leave(PyObject *guard)
{
	PyObject *args[] = { guard, Py_None, Py_None, Py_None };
	PyObject *r = PyObject_VectorcallMethod(T.exit, args, 4, NULL);

	Py_XDECREF(r);
	Py_DECREF(guard);
}

/* Imported late by torch, so it is known by its name. */
static bool is_fake(PyObject *v)
{
	return !strcmp(_PyType_Name(Py_TYPE(v)), "FakeTensor");
}

/* Plain tensors and parameters need no name. */
static void add_class(PyObject *v, struct buf *out)
{
	const char *name = _PyType_Name(Py_TYPE(v));

	if (!strcmp(name, "Tensor") || !strcmp(name, "Parameter"))
		return;
	buf_addf(out, "%s ", is_fake(v) ? "fake" : name);
}

/* The class in the program's own code that answers for shape and device of its tensors (__torch_dispatch__): asking
   it would run the program.  torch's own such classes (DTensor, ...) are asked. */
static bool asks_program(PyTypeObject *type)
{
	PyObject *mro = type->tp_mro, *name;
	PyObject *found = _PyType_Lookup(type, T.dispatch_name);
	PyTypeObject *base;
	const char *module;
	Py_ssize_t i;

	if (!found || found == T.no_dispatch)
		return false;
	for (i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
		base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
		if (!base->tp_dict || !PyDict_GetItem(base->tp_dict, T.dispatch_name))
			continue;
		name = PyDict_GetItem(base->tp_dict, T.module_name);
		module = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
		if (!module)
			PyErr_Clear(); /* a lone surrogate */
		return !module || strncmp(module, "torch.", 6);
	}
	return true;
}

/* A fake tensor lives on the meta device and answers for another in Python: that one is in its dict. */
static PyObject *device_of(PyObject *v)
{
	PyObject **dict = is_fake(v) ? _PyObject_GetDictPtr(v) : NULL;
	PyObject *device = dict && *dict ? PyDict_GetItem(*dict, T.fake_device) : NULL;

	return device ? Py_NewRef(device) : get_property(T.where, v);
}

static void show_tensor(PyObject *v, bool data, struct buf *out)
{
	bool closed = asks_program(Py_TYPE(v));
	struct buf elements = { 0 };
	bool lacks = false;
	/* owned */
	PyObject *guard = quiet_enter(), *dtype, *shape = NULL, *device = NULL, *grad;

	if (!guard) {
		add_field(out, "tensor");
		return;
	}
	dtype = get_property(T.kind, v);
	grad = get_property(T.grad, v);
	if (!closed) {
		shape = get_property(T.shape, v);
		device = device_of(v);
	}
	if (!closed)
		lacks = storage_lacks(v, shape, dtype, &elements);
	if (data && !lacks && shape && dtype)
		elements_show(v, dtype_name(dtype), shape, &elements);
	quiet_leave(guard);
	add_class(v, out);
	add_field(out, dtype_name(dtype));
	add_shape(shape, out);
	if (device) {
		add_field(out, " ");
		add_str(device, out);
	}
	if (grad == Py_True)
		add_field(out, " grad");
	add_field(out, buf_str(&elements));
	buf_release(&elements);
	Py_XDECREF(dtype);
	Py_XDECREF(shape);
	Py_XDECREF(device);
	Py_XDECREF(grad);
}

static bool on_cpu(PyObject *v)
{
	PyObject *device = get_property(T.where, v), *type = device ? PyObject_GetAttrString(device, "type") : NULL;
	const char *name = type ? PyUnicode_AsUTF8(type) : NULL;
	bool yes = name && !strcmp(name, "cpu");

	PyErr_Clear();
	Py_XDECREF(type);
	Py_XDECREF(device);
	return yes;
}

/* torch's repr reads the elements: of memory that is not there it ends the process. */
static bool show_unreadable(struct py_obj *value, struct buf *out)
{
	PyObject *v = (PyObject *)value;
	/* owned */
	PyObject *guard, *shape, *dtype;
	struct buf words = { 0 };
	bool lacks, cut;

	if (!is_instance(v, T.tensor) || asks_program(Py_TYPE(v)) || !(guard = quiet_enter()))
		return false;
	shape = get_property(T.shape, v);
	dtype = get_property(T.kind, v);
	lacks = storage_lacks(v, shape, dtype, &words);
	cut = !lacks && on_cpu(v) && storage_is_cut_off(v);
	quiet_leave(guard);
	if (out && (lacks || cut))
		show_tensor(v, false, out);
	if (out && cut)
		add_field(out, " memory cut off");
	buf_release(&words);
	Py_XDECREF(dtype);
	Py_XDECREF(shape);
	return lacks || cut;
}

bool tensor_is(PyObject *v)
{
	return is_instance(v, T.tensor);
}

bool tensor_is_module(PyObject *v)
{
	return is_instance(v, T.module);
}

bool tensor_is_closed(PyObject *v)
{
	return asks_program(Py_TYPE(v));
}

bool tensor_is_fake(PyObject *v)
{
	return is_fake(v);
}

PyObject *tensor_quiet_enter(void)
{
	return quiet_enter();
}

void tensor_quiet_leave(PyObject *guard)
{
	quiet_leave(guard);
}

const char *tensor_dtype(PyObject *v)
{
	PyObject *dtype = get_property(T.kind, v);
	const char *name = dtype_name(dtype);

	Py_XDECREF(dtype);
	return name;
}

PyObject *tensor_method(const char *name)
{
	return PyObject_GetAttrString((PyObject *)T.tensor, name);
}

PyObject *tensor_get(PyObject *v, const char *attribute)
{
	PyObject *d = tensor_method(attribute);
	PyObject *value = d && Py_TYPE(d)->tp_descr_get ? Py_TYPE(d)->tp_descr_get(d, v, (PyObject *)Py_TYPE(v)) : NULL;

	Py_XDECREF(d);
	return value;
}

PyObject *tensor_call(PyObject *v, const char *method)
{
	PyObject *m = tensor_method(method), *r = m ? PyObject_CallOneArg(m, v) : NULL;

	Py_XDECREF(m);
	return r;
}

PyObject *tensor_shape(PyObject *v)
{
	return get_property(T.shape, v);
}

void tensor_device(PyObject *v, struct buf *out)
{
	PyObject *device = device_of(v);

	add_str(device, out);
	Py_XDECREF(device);
}

bool tensor_lacks(PyObject *v, struct buf *out)
{
	PyObject *shape = get_property(T.shape, v), *dtype = get_property(T.kind, v);
	bool lacks = storage_lacks(v, shape, dtype, out), cut = !lacks && on_cpu(v) && storage_is_cut_off(v);

	if (cut)
		buf_adds(out, " memory cut off");
	Py_XDECREF(dtype);
	Py_XDECREF(shape);
	return lacks || cut;
}

static int show_any(struct py_obj *value, bool data, struct buf *out)
{
	PyObject *v = (PyObject *)value;
	PyObject *type, *exc, *tb;
	int answer = 1;

	if (!T.tensor)
		return 0;
	PyErr_Fetch(&type, &exc, &tb);
	if (is_instance(v, T.tensor))
		show_tensor(v, data, out);
	else if (Py_TYPE(v) == T.dtype || Py_TYPE(v) == T.device)
		add_str(v, out);
	else if (Py_TYPE(v) == T.size) {
		add_field(out, "Size(");
		add_shape(v, out);
		add_field(out, ")");
	} else if (is_instance(v, T.module))
		buf_addf(out, "module %s", _PyType_Name(Py_TYPE(v)));
	else
		answer = 0;
	PyErr_Clear();
	PyErr_Restore(type, exc, tb);
	return answer;
}

static int tensor_show(struct py_obj *value, struct buf *out)
{
	return show_any(value, false, out);
}

static int show_data(struct py_obj *value, struct buf *out)
{
	return show_any(value, reads_elements && host->talk.option_number("tensor-values"), out);
}

/* Its version counter, and its elements where they can be read: those of .data, or of an array that shares its memory,
   are written without the counter. */
static bool add_state(PyObject *v, struct buf *out)
{
	PyObject *guard = quiet_enter(), *dtype, *shape, *version;
	bool known = false, counted = false;

	if (!guard)
		return false;
	dtype = get_property(T.kind, v);
	shape = get_property(T.shape, v);
	version = T.version ? get_property(T.version, v) : NULL; /* an inference tensor has none */
	if (dtype && shape && reads_elements)
		known = elements_bytes(v, dtype_name(dtype), shape, out);
	quiet_leave(guard);
	counted = version && PyLong_Check(version);
	if (counted)
		buf_addf(out, " version %lld", PyLong_AsLongLong(version));
	Py_XDECREF(version);
	Py_XDECREF(shape);
	Py_XDECREF(dtype);
	return known || counted;
}

static int tensor_state(struct py_obj *value, struct buf *out)
{
	PyObject *v = (PyObject *)value;
	PyObject *type, *exc, *tb;
	bool known;

	if (!T.tensor || !is_instance(v, T.tensor))
		return 0;
	if (asks_program(Py_TYPE(v)))
		return 2;
	PyErr_Fetch(&type, &exc, &tb);
	show_tensor(v, false, out); /* type, shape, device */
	known = add_state(v, out);
	PyErr_Clear();
	PyErr_Restore(type, exc, tb);
	return known ? 1 : 2;
}

static void leave(void)
{
	group_timeout(host, false);
	rank_breakpoint(false);
}

static const struct plug_ops questions = {
	.life.detach = leave,
	.values.state = tensor_state,
	.values.children = tensor_children,
	.steps.leave = view_values_forget,
};

static const struct view_ops *const views[] = { &view_values, NULL };
static const struct cmd_def *const commands[] = { cmd_view, NULL };

static struct value_format format = { .show = tensor_show, .show_data = show_data };

static bool awake;

static void record_tensors_changed(struct session *s)
{
	(void)s;
	if (awake)
		recorded_shapes(host, host->talk.option_text("record-tensors"));
}

static void timeout_changed(struct session *s)
{
	bool wait = !strcmp(host->talk.option_text("collective-timeout"), "day");

	(void)s;
	if (!awake)
		return;
	group_timeout(host, wait);
	rank_breakpoint(wait);
}

static const char *const record_choices[] = { "off", "shape", "numbers", NULL };
static const char *const timeout_choices[] = { "program", "day", NULL };

static const struct option_def options[] = {
	{ .name = "collective-timeout",
	  .type = OPTION_CHOICE,
	  .text = "program",
	  .choices = timeout_choices,
	  .changed = timeout_changed,
	  .help = "timeout of process groups: the program's, or a day, so that others wait for a rank that stands; "
		  "'cdbg --ranks' sets a day" },
	{ .name = "record-tensors",
	  .type = OPTION_CHOICE,
	  .text = "shape",
	  .choices = record_choices,
	  .changed = record_tensors_changed,
	  .help = "what 'record' keeps of a tensor: its class; its type, shape and device; or 'numbers', also "
		  "the least and the greatest number, NaN and Inf, of at most 16 KB of each on the CPU: 2 to 25 us a "
		  "tensor" },
	{ .name = "tensor-values",
	  .type = OPTION_BOOL,
	  .number = 1,
	  .help = "show the values of tensors on the CPU that have at most four elements" },
	{ .name = NULL },
};

/* A type by module and name, from what is imported already; NULL when it is not there. */
static PyObject *imported_type(const char *module, const char *name)
{
	PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), module); /* borrowed */
	PyObject *v = m ? PyObject_GetAttrString(m, name) : NULL;

	PyErr_Clear();
	return v;
}

static PyTypeObject *find_type(const char *module, const char *name)
{
	PyObject *v = imported_type(module, name);

	if (v && !PyType_Check(v))
		Py_CLEAR(v);
	return (PyTypeObject *)v;
}

static PyObject *find_getter(const char *name)
{
	PyObject *d = PyDict_GetItemString(T.tensor->tp_dict, name);

	return d && Py_TYPE(d)->tp_descr_get ? Py_NewRef(d) : NULL;
}

static int tensor_wake(struct err *err)
{
	T.tensor = find_type("torch._C", "TensorBase");
	T.disable = imported_type("torch._C", "DisableTorchFunction");
	if (T.tensor) {
		T.shape = find_getter("shape");
		T.kind = find_getter("dtype");
		T.where = find_getter("device");
		T.grad = find_getter("requires_grad");
		T.version = find_getter("_version");
	}
	if (!T.tensor || !T.disable || !T.shape || !T.kind || !T.where || !T.grad) {
		Py_CLEAR(T.tensor);
		return err_set(err, "tensors of this version of torch lack the getters: they are shown by type");
	}
	T.enter = PyUnicode_InternFromString("__enter__");
	T.exit = PyUnicode_InternFromString("__exit__");
	T.dispatch_name = PyUnicode_InternFromString("__torch_dispatch__");
	T.module_name = PyUnicode_InternFromString("__module__");
	T.fake_device = PyUnicode_InternFromString("_fake_device");
	T.no_dispatch = imported_type("torch._C", "_disabled_torch_dispatch_impl");
	T.dtype = find_type("torch", "dtype");
	T.device = find_type("torch", "device");
	T.size = find_type("torch", "Size");
	T.module = find_type("torch.nn.modules.module", "Module");
	storage_begin(host);
	reads_elements = elements_begin();
	host->values.add_format(&format);
	host->values.add_unreadable(show_unreadable);
	awake = true;
	record_tensors_changed(host->session);
	timeout_changed(host->session);
	return 0;
}

static int init(const struct cdbg_host *h, struct err *err)
{
	(void)err;
	host = h;
	tensor_host = h;
	bug_restore(h->talk.restore_terminal);
	return 0;
}

__attribute__((visibility("default"))) const struct cdbg_plugin cdbg_plugin = {
	.abi = CDBG_PLUGIN_ABI,
	.name = "tensor",
	.wakes_on = "torch",
	.options = options,
	.views = views,
	.commands = commands,
	.questions = &questions,
	.init = init,
	.wake = tensor_wake,
};
