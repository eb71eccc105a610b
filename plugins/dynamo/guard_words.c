/* SPDX-License-Identifier: BSD-3-Clause */
/* What a guard expects and what there is, as people read it, by kind of guard.  Knows no view. */
#include "guards.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 160 };                         /* bytes of a value */

static void add(struct buf *out, const char *s)
{
	host->buf_add(out, s, strlen(s));
}

static void show(PyObject *v, struct buf *out)
{
	PyObject *type, *value, *tb;

	PyErr_Fetch(&type, &value, &tb);
	host->value_show((struct py_obj *)v, out, MOST);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
}

/* What stands behind `mark` in the text, as long as it is no further guard: "L['n'] == 2" -> "2". */
static const char *behind(const struct guard *g, const char *mark)
{
	size_t n = strlen(g->source);
	const char *p = !strncmp(g->text, g->source, n) ? g->text + n : NULL;

	return p && !strncmp(p, mark, strlen(mark)) ? p + strlen(mark) : NULL;
}

/* ---- tensors ------------------------------------------------------------------------------------------------ */

/*
 * "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, ...), torch.float32, device=None, requires_grad=False,
 * size=[None, 3], stride=[3, 1])"
 */
struct wanted {
	char class[64], keys[300], dtype[40], device[20], size[300], stride[300];
	bool grad;
};

static void take(char *to, size_t size, const char *from, size_t n)
{
	n = n < size - 1 ? n : size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

static bool read_tensor(const struct guard *g, struct wanted *w)
{
	const char *p = strstr(g->text, ", DispatchKeySet("), *q, *end;

	memset(w, 0, sizeof(*w));
	if (!p)
		return false;
	for (q = p; q > g->text && q[-1] != ' '; q--)
		;
	take(w->class, sizeof(w->class), q, (size_t)(p - q));
	p += 17;
	end = strchr(p, ')');
	if (!end)
		return false;
	take(w->keys, sizeof(w->keys), p, (size_t)(end - p));
	q = strstr(end, "torch.");
	if (q)
		take(w->dtype, sizeof(w->dtype), q + 6, strcspn(q + 6, ","));
	q = strstr(end, "device=");
	if (q)
		take(w->device, sizeof(w->device), q + 7, strcspn(q + 7, ","));
	q = strstr(end, "requires_grad=");
	w->grad = q && !strncmp(q + 14, "True", 4);
	q = strstr(end, "size=[");
	if (q)
		take(w->size, sizeof(w->size), q + 6, strcspn(q + 6, "]"));
	q = strstr(end, "stride=[");
	if (q)
		take(w->stride, sizeof(w->stride), q + 8, strcspn(q + 8, "]"));
	return true;
}

static const char *short_dtype(const char *name)
{
	static const struct { const char *torch, *shown; } names[] = {
		{ "float32", "f32" }, { "float64", "f64" }, { "float16", "f16" }, { "bfloat16", "bf16" },
		{ "int64", "i64" }, { "int32", "i32" }, { "int16", "i16" }, { "int8", "i8" },
		{ "uint8", "u8" }, { "uint16", "u16" }, { "uint32", "u32" }, { "uint64", "u64" },
		{ "complex64", "c64" }, { "complex128", "c128" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].torch, name))
			return names[i].shown;
	return name;
}

/* "[None, 3]" -> "?,3": a dimension that is free. */
static void add_sizes(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (!strncmp(s, "None", 4)) {
			add(out, "?");
			s += 3;
		} else if (*s != ' ') {
			host->buf_add(out, s, 1);
		}
	}
}

/* The same form as summaries of tensors have: "f32[?,3] cpu grad". */
static void add_tensor(struct buf *out, const struct wanted *w)
{
	char where[32];
	size_t i, n = strcspn(w->keys, ",");

	if (strcmp(w->class, "Tensor") && strcmp(w->class, "Parameter"))
		host->buf_addf(out, "%s ", w->class);
	host->buf_addf(out, "%s[", short_dtype(w->dtype));
	add_sizes(out, w->size);
	take(where, sizeof(where), w->keys, n);
	for (i = 0; where[i]; i++)
		if (where[i] >= 'A' && where[i] <= 'Z')
			where[i] = (char)(where[i] + 'a' - 'A');
	host->buf_addf(out, "] %s", where);
	if (strcmp(w->device, "None"))
		host->buf_addf(out, ":%s", w->device);
	if (w->grad)
		add(out, " grad");
}

/* A list of numbers, as the guard has it: "3, 1". */
static void numbers(PyObject *v, const char *method, struct buf *out)
{
	PyObject *list = guards_call(v, method);
	Py_ssize_t i;

	for (i = 0; list && PyTuple_Check(list) && i < PyTuple_GET_SIZE(list); i++)
		if (PyLong_Check(PyTuple_GET_ITEM(list, i)))
			host->buf_addf(out, "%s%ld", i ? ", " : "", PyLong_AsLong(PyTuple_GET_ITEM(list, i)));
	PyErr_Clear();
	Py_XDECREF(list);
}

static void dispatch_keys(PyObject *v, struct buf *out)
{
	PyObject *keys_of = names_get(NAME_DISPATCH_KEYS), *keys, *text;
	const char *s;

	keys = keys_of ? PyObject_CallOneArg(keys_of, v) : NULL;
	text = keys ? PyObject_Repr(keys) : NULL;
	s = text ? PyUnicode_AsUTF8(text) : NULL;
	if (s && strchr(s, '('))
		host->buf_add(out, strchr(s, '(') + 1, strcspn(strchr(s, '(') + 1, ")"));
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(keys);
	Py_XDECREF(keys_of);
}

/* Both sides end alike, and the guard fails all the same: say what else a tensor is guarded for. */
static void add_rest(const struct wanted *w, PyObject *v, struct buf *expected, struct buf *live)
{
	const char *class = _PyType_Name(Py_TYPE(v));
	struct buf text = { 0 };

	if (strcmp(class, w->class)) {
		host->buf_addf(expected, " (%s)", w->class);
		host->buf_addf(live, " (%s)", class);
		return;
	}
	numbers(v, "stride", &text);
	if (text.s && *w->stride && strcmp(text.s, w->stride)) {
		host->buf_addf(expected, " stride [%s]", w->stride);
		host->buf_addf(live, " stride [%s]", text.s);
	} else {
		text.len = 0;
		dispatch_keys(v, &text);
		if (text.s && text.len && strcmp(text.s, w->keys)) {
			host->buf_addf(expected, " keys %s", w->keys);
			host->buf_addf(live, " keys %s", text.s);
		}
	}
	host->buf_release(&text);
}

static void expect_tensor(const struct guard *g, struct buf *out)
{
	struct wanted w;

	if (read_tensor(g, &w))
		add_tensor(out, &w);
}

/* "f32[?,3] cpu" fits "f32[5,3] cpu". */
static bool fits(const char *wanted, const char *is)
{
	for (; *wanted && *is; wanted++, is++) {
		if (*wanted == '?') {
			is += strcspn(is, ",]") - 1;
			continue;
		}
		if (*wanted != *is)
			return false;
	}
	return *wanted == *is;
}

static void live_tensor(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
			struct buf *live)
{
	struct wanted w;

	(void)k;
	show(v, live);
	if (verdict == VERDICT_FAILS && read_tensor(g, &w) && expected->s && live->s && fits(expected->s, live->s))
		add_rest(&w, v, expected, live);
}

/* ---- types and identity ------------------------------------------------------------------------------------- */

/* "..., type=<class 'collections.OrderedDict'>": its name. */
static const char *class_in(const struct guard *g, size_t *n)
{
	const char *p = strstr(g->text, "type=<class '");

	if (!p)
		return NULL;
	p += 13;
	*n = strcspn(p, "'");
	return p;
}

static long long id_in(const struct guard *g)
{
	const char *p = strrchr(g->text, ')'), *q = strstr(g->text, "), type=");

	p = q ? q : p;
	while (p && p > g->text && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p ? atoll(p) : 0;
}

static void full_type(PyTypeObject *t, struct buf *out)
{
	PyObject *module = guards_attr((PyObject *)t, "__module__"), *name = guards_attr((PyObject *)t, "__qualname__");
	const char *m = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
	const char *n = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	if (m && strcmp(m, "builtins"))
		host->buf_addf(out, "%s.", m);
	add(out, n ? n : _PyType_Name(t));
	PyErr_Clear();
	Py_XDECREF(name);
	Py_XDECREF(module);
}

static void expect_type(const struct guard *g, struct buf *out)
{
	const char *class;
	size_t n;

	class = class_in(g, &n);
	if (class)
		host->buf_add(out, class, n);
	else
		host->buf_addf(out, "the type at %#llx", id_in(g));
}

static void live_type(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		      struct buf *live)
{
	(void)k;
	full_type(Py_TYPE(v), live);
	if (verdict == VERDICT_FAILS && expected->s && live->s && !strcmp(expected->s, live->s)) {
		host->buf_addf(expected, " at %#llx", id_in(g));
		host->buf_addf(live, " at %p, another class of that name", (void *)Py_TYPE(v));
	}
}

static void expect_id(const struct guard *g, struct buf *out)
{
	const char *class;
	size_t n;

	class = class_in(g, &n);
	if (class)
		host->buf_addf(out, "%.*s at %#llx", (int)n, class, id_in(g));
	else if (id_in(g))
		host->buf_addf(out, "the object at %#llx", id_in(g));
	else
		add(out, g->text);
}

static void live_id(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		    struct buf *live)
{
	(void)k;
	(void)g;
	(void)verdict;
	(void)expected;
	full_type(Py_TYPE(v), live);
	host->buf_addf(live, " at %p", (void *)v);
}

/* ---- constants, lengths, keys ------------------------------------------------------------------------------- */

static void expect_equal(const struct guard *g, struct buf *out)
{
	const char *value = behind(g, " == ");

	if (!value)
		value = behind(g, " is ");
	if (value)
		add(out, value);
	else if (!strncmp(g->text, "not ", 4) && !strcmp(g->text + 4, g->source))
		add(out, "False");
	else if (!strcmp(g->text, g->source))
		add(out, "True");
	else
		add(out, g->text);
}

static void live_value(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live)
{
	(void)k;
	(void)verdict;
	show(v, live);
	if (verdict == VERDICT_FAILS && expected->s && live->s && !strcmp(expected->s, live->s)) {
		host->buf_addf(live, " of type ");           /* 2 is not 2.0, True is not 1 */
		full_type(Py_TYPE(v), live);
	}
	(void)g;
}

static void expect_length(const struct guard *g, struct buf *out)
{
	const char *value = strrchr(g->text, '=');

	if (!strncmp(g->text, "not ", 4))
		add(out, "length 0");
	else if (value && value > g->text && (value[-1] == '=' || value[-1] == '!' || value[-1] == '>'))
		host->buf_addf(out, "length %s%s",
			       value[-1] == '=' ? "" : value[-1] == '!' ? "other than " : "at least ",
			       value + 1 + strspn(value + 1, " "));
	else if (!strcmp(g->text, g->source))
		add(out, "length of at least 1");
	else
		add(out, g->text);
}

static void live_length(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
			struct buf *live)
{
	Py_ssize_t n = PyObject_Size(v);

	(void)k;
	(void)g;
	(void)verdict;
	(void)expected;
	PyErr_Clear();
	if (n >= 0)
		host->buf_addf(live, "length %zd", n);
	else
		show(v, live);
}

/* "not ___dict_contains('forward', L['m'].__dict__)" */
static void expect_key(const struct guard *g, struct buf *out)
{
	const char *p = strstr(g->text, "contains(");
	size_t n = strlen(g->source);
	const char *end = p ? strstr(p, g->source) : NULL;

	if (!p || !end || !n || end - p < 11) {
		add(out, g->text);
		return;
	}
	p += 9;
	host->buf_addf(out, "%s %.*s", strncmp(g->text, "not ", 4) ? "has" : "has not", (int)(end - 2 - p), p);
}

static void live_key(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		     struct buf *live)
{
	bool not = !strncmp(g->text, "not ", 4);

	(void)k;
	(void)v;
	(void)expected;
	add(live, (verdict == VERDICT_HOLDS) == not ? "has not" : "has it");
}

/* ---- comparisons -------------------------------------------------------------------------------------------- */

/* The comparison that begins here, 0: none; the longer ones first. */
static size_t operator_at(const char *p)
{
	static const char *const all[] = { " is not ", " is ", " == ", " != ", " <= ", " >= ", " < ", " > ", " in " };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strncmp(p, all[i], strlen(all[i])))
			return strlen(all[i]);
	return 0;
}

static void operand(struct look *k, const char *text, size_t n, struct buf *out)
{
	char *one = host->mem_fmt("%.*s", (int)n, text);
	PyObject *v = strstr(one, "['") || strchr(one, '.') || strchr(one, '(') ? look_eval(k, one) : NULL;

	if (v) {
		host->buf_addf(out, "%s%s = ", out->len ? ", " : "", one);
		show(v, out);
	}
	Py_XDECREF(v);
	free(one);
}

/* What stands on each side: "2 <= L['x'].size()[0]" -> "L['x'].size()[0] = 1". */
static void operands(struct look *k, const char *text, struct buf *out)
{
	const char *p, *start = text + (strncmp(text, "not ", 4) ? 0 : 4);
	int open = 0;
	size_t n;

	for (p = start; *p; p++) {
		open += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
		n = open ? 0 : operator_at(p);
		if (!n)
			continue;
		operand(k, start, (size_t)(p - start), out);
		start = p + n;
		p += n - 2;
	}
	operand(k, start, (size_t)(p - start), out);
}

/* ---- state of the process, and what is Python --------------------------------------------------------------- */

static void expect_text(const struct guard *g, struct buf *out)
{
	size_t n = strcspn(g->text, "{");

	/* "___check_global_state() against {...}": long, and told apart by what differs. */
	if (n < strlen(g->text) && strstr(g->text, " against {"))
		add(out, "the state at compile time");
	else if (strncmp(g->text, "___check", 8))
		add(out, g->text);
	else
		add(out, "as at compile time");
}

static void live_state(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live)
{
	char *reason = verdict == VERDICT_FAILS && !strcmp(g->kind, "GLOBAL_STATE") ? look_reason(k) : NULL;

	(void)v;
	(void)expected;
	if (verdict == VERDICT_HOLDS)
		add(live, "the same");
	else if (verdict == VERDICT_FAILS && reason && !strncmp(reason, "GLOBAL_STATE changed: ", 22))
		host->buf_addf(live, "changed: %s", reason + 22);
	else if (verdict == VERDICT_FAILS)
		add(live, "changed");
	free(reason);
}

/* "check_no_aliasing(L['x'], L['y'])" */
static void expect_apart(const struct guard *g, struct buf *out)
{
	const char *open = strchr(g->text, '(');

	if (open && !strncmp(g->text, "check_no_aliasing(", 18))
		host->buf_addf(out, "all different: %.*s", (int)strlen(open + 1) - 1, open + 1);
	else
		add(out, g->text);
}

static void live_apart(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live)
{
	(void)k;
	(void)g;
	(void)v;
	(void)expected;
	if (verdict != VERDICT_UNKNOWN)
		add(live, verdict == VERDICT_HOLDS ? "all different" : "two of them are one object");
}

/* The part of "A and B and C" that does not hold, and what stands on its left. */
static void live_python(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
			struct buf *live)
{
	const char *p = g->text, *end;
	PyObject *r;
	char *part;
	bool holds;

	(void)v;
	for (; verdict == VERDICT_FAILS && *p; p = *end ? end + 5 : end) {
		end = strstr(p, " and ");
		end = end ? end : p + strlen(p);
		part = host->mem_fmt("%.*s", (int)(end - p), p);
		r = look_eval(k, part);
		holds = !r || PyObject_IsTrue(r) != 0;
		PyErr_Clear();
		Py_XDECREF(r);
		if (!holds) {
			expected->len = 0;
			add(expected, part);
			operands(k, part, live);
		}
		free(part);
		if (!holds)
			return;
	}
	add(live, verdict == VERDICT_HOLDS ? "holds" : verdict == VERDICT_FAILS ? "does not hold" : "");
}

/* ---- the table ---------------------------------------------------------------------------------------------- */

static const struct {
	const char *kind;
	void (*expect)(const struct guard *g, struct buf *out);
	void (*live)(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		     struct buf *live);
} kinds[] = {
	{ "TENSOR_MATCH", expect_tensor, live_tensor },
	{ "TYPE_MATCH", expect_type, live_type },
	{ "ID_MATCH", expect_id, live_id },
	{ "EQUALS_MATCH", expect_equal, live_value },
	{ "LENGTH_CHECK", expect_length, live_length },
	{ "DICT_LENGTH", expect_length, live_length },
	{ "DICT_CONTAINS", expect_key, live_key },
	{ "SET_CONTAINS", expect_key, live_key },
	{ "GLOBAL_STATE", expect_text, live_state },
	{ "TORCH_FUNCTION_MODE_STACK", expect_text, live_state },
	{ "LAMBDA_GUARD", expect_text, live_python },
	{ "SYMBOLIC_SHAPE_GUARD", expect_text, live_python },
	{ "NO_TENSOR_ALIASING", expect_apart, live_apart },
	{ "OBJECT_ALIASING", expect_text, live_python },
	{ "DEFAULT_DEVICE", expect_text, live_state },
	{ "DIMENSION_DYNAMIC_MARKING_GUARD", expect_text, live_python },
	{ NULL, expect_equal, live_value },
};

static size_t kind_of(const struct guard *g)
{
	size_t i = 0;

	while (kinds[i].kind && strcmp(kinds[i].kind, g->kind))
		i++;
	return i;
}

void guard_expected(const struct guard *g, struct buf *out)
{
	kinds[kind_of(g)].expect(g, out);
}

void guard_python(const struct guard *g, struct buf *out)
{
	const char *text = g->text, *end = strstr(text, "), type=<class "), *against = strstr(text, " against {");
	size_t n = strcspn(text, "\n");
	const char *class;

	if (!strcmp(g->kind, "TYPE_MATCH") && *g->source && (class = class_in(g, &n))) {
		host->buf_addf(out, "type(%s) is %.*s", g->source, (int)n, class);
		return;
	}
	if (strstr(text, "_hooks ids == "))          /* words about a function of Dynamo's: no expression says it */
		host->buf_addf(out, "# ");
	if (end)                                     /* what Dynamo says behind the call is for people */
		n = (size_t)(end + 1 - text);
	else if (against)
		n = (size_t)(against - text);
	host->buf_add(out, text, n);
}

void guard_live(struct look *k, int leaf, enum verdict v, struct buf *expected, struct buf *live)
{
	const struct guard *g = &k->guards->guard[leaf];
	PyObject *value;
	enum have have = look_value(k, k->tree->leaf[leaf].branch, &value);

	guard_expected(g, expected);
	if (have == HAVE_MISSING)
		add(live, "missing");
	else if (have == HAVE_VALUE)
		kinds[kind_of(g)].live(k, g, value, v, expected, live);
}
