/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected and the actual value of a guard as text for people, by kind of guard.  Knows no view. */
#include "guards/guard_text.h"
#include "torch/attrs.h"
#include "guards/guard_eval.h"
#include "guards/guard_model.h"
#include "guards/guard_object.h"
#include "guards/guard_tensor.h"
#include "guards/guard_tree.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 160 }; /* bytes of a value */

static void add_remark(struct buf *out, const char *s)
{
	buf_add(out, s, strlen(s));
}

void guard_show(PyObject *v, struct buf *out)
{
	PyObject *type, *value, *tb;

	PyErr_Fetch(&type, &value, &tb);
	host->values.show((struct py_obj *)v, out, MOST);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
}

/* The text after `mark`, unless it has another guard: "L['n'] == 2" -> "2". */
static const char *text_after(const struct guard *g, const char *mark)
{
	size_t n = strlen(g->source);
	const char *p = !strncmp(g->text, g->source, n) ? g->text + n : NULL;

	return p && !strncmp(p, mark, strlen(mark)) ? p + strlen(mark) : NULL;
}

/* ---- constants, lengths, keys ------------------------------------------------------------------------------- */

static void expect_equal(const struct guard *g, struct buf *out)
{
	const char *value = text_after(g, " == ");

	if (!value)
		value = text_after(g, " is ");
	if (value)
		add_remark(out, value);
	else if (!strncmp(g->text, "not ", 4) && !strcmp(g->text + 4, g->source))
		add_remark(out, "False");
	else if (!strcmp(g->text, g->source))
		add_remark(out, "True");
	else
		add_remark(out, g->text);
}

static void live_value(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live)
{
	(void)k;
	(void)verdict;
	guard_show(v, live);
	if (verdict == VERDICT_FAILS && expected->s && live->s && !strcmp(expected->s, live->s)) {
		buf_adds(live, " of type "); /* 2 is not 2.0, True is not 1 */
		guard_full_type(Py_TYPE(v), live);
	}
	(void)g;
}

static void expect_length(const struct guard *g, struct buf *out)
{
	const char *value = strrchr(g->text, '=');

	if (!strncmp(g->text, "not ", 4))
		add_remark(out, "length 0");
	else if (value && value > g->text && (value[-1] == '=' || value[-1] == '!' || value[-1] == '>'))
		buf_addf(out, "length %s%s",
			 value[-1] == '=' ? "" :
			 value[-1] == '!' ? "other than " :
					    "at least ",
			 value + 1 + strspn(value + 1, " "));
	else if (!strcmp(g->text, g->source))
		add_remark(out, "length of at least 1");
	else
		add_remark(out, g->text);
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
		buf_addf(live, "length %zd", n);
	else
		guard_show(v, live);
}

/* "not ___dict_contains('forward', L['m'].__dict__)", "set.__contains__(L['s'], 'a')": the key. */
static const char *key_in(const struct guard *g, size_t *n)
{
	const char *open = strstr(g->text, "contains"), *p = open ? strchr(open, '(') : NULL, *end;
	size_t len = strlen(g->source);

	if (!p || !len)
		return NULL;
	p++;
	if (!strncmp(p, g->source, len) && !strncmp(p + len, ", ", 2)) {
		p += len + 2;
		*n = strlen(p);
		*n -= *n && p[*n - 1] == ')';
		return p;
	}
	end = strstr(p, g->source);
	if (!end || end - p < 3)
		return NULL;
	*n = (size_t)(end - 2 - p);
	return p;
}

static void expect_key(const struct guard *g, struct buf *out)
{
	size_t n;
	const char *key = key_in(g, &n);

	if (key)
		buf_addf(out, "%s %.*s", strncmp(g->text, "not ", 4) ? "with" : "without", (int)n, key);
	else
		add_remark(out, g->text);
}

static void live_key(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		     struct buf *live)
{
	bool not = !strncmp(g->text, "not ", 4);
	size_t n;
	const char *key = key_in(g, &n);

	(void)k;
	(void)v;
	(void)expected;
	if (verdict != VERDICT_UNKNOWN)
		buf_addf(live, "%s %.*s", (verdict == VERDICT_HOLDS) == not ? "without" : "with", key ? (int)n : 2,
			 key ? key : "it");
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

static void put_operand(struct look *k, const char *text, size_t n, struct buf *out)
{
	char *one = mem_fmt("%.*s", (int)n, text), *end;
	bool number = (strtod(one, &end), end > one && !*end);
	PyObject *v = !number && (strstr(one, "['") || strchr(one, '.') || strchr(one, '(')) ? look_eval(k, one) : NULL;

	if (v) {
		buf_addf(out, "%s%s = ", out->len ? ", " : "", one);
		guard_show(v, out);
	} else if (!strncmp(one, "L['", 3) || !strncmp(one, "G['", 3)) {
		buf_addf(out, "%s%s is missing", out->len ? ", " : "", one);
	}
	Py_XDECREF(v);
	free(one);
}

/* Adds the values of both operands: "2 <= L['x'].size()[0]" -> "L['x'].size()[0] = 1". */
static void add_operands(struct look *k, const char *text, struct buf *out)
{
	const char *p, *start = text + (strncmp(text, "not ", 4) ? 0 : 4);
	int open = 0;
	size_t n;

	for (p = start; *p; p++) {
		open += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
		n = open ? 0 : operator_at(p);
		if (!n)
			continue;
		put_operand(k, start, (size_t)(p - start), out);
		start = p + n;
		p += n - 2;
	}
	put_operand(k, start, (size_t)(p - start), out);
}

/* ---- state of the process, and what is Python --------------------------------------------------------------- */

static void expect_text(const struct guard *g, struct buf *out)
{
	size_t n = strcspn(g->text, "{");

	/* "___check_global_state() against {...}" is long: adds only what differs. */
	if (n < strlen(g->text) && strstr(g->text, " against {"))
		add_remark(out, "the state at compile time");
	else if (strncmp(g->text, "___check", 8))
		add_remark(out, g->text);
	else
		add_remark(out, "as at compile time");
}

/* Does this thread record gradients? */
static bool records_grad(void)
{
	PyObject *get = attrs_get(ATTR_GRAD), *r = get ? PyObject_CallNoArgs(get) : NULL;
	bool yes = r != Py_False;

	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(get);
	return yes;
}

/* "GLOBAL_STATE changed: grad_mode ": the names, and of the grad mode what it is now. */
static void add_changed_state(const char *names, struct buf *live)
{
	size_t n = strlen(names);

	while (n && names[n - 1] == ' ')
		n--;
	buf_addf(live, "changed: %.*s", (int)n, names);
	if (strstr(names, "grad_mode"))
		buf_addf(live, " (now %s)", records_grad() ? "gradients are recorded" : "under no_grad");
}

static void live_state(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live)
{
	char *reason = verdict == VERDICT_FAILS && !strcmp(g->kind, "GLOBAL_STATE") ? look_reason(k) : NULL;

	(void)v;
	(void)expected;
	if (verdict == VERDICT_HOLDS)
		add_remark(live, "the same");
	else if (verdict == VERDICT_FAILS && reason && !strncmp(reason, "GLOBAL_STATE changed: ", 22))
		add_changed_state(reason + 22, live);
	else if (verdict == VERDICT_FAILS)
		add_remark(live, "changed");
	free(reason);
}

/* "check_no_aliasing(L['x'], L['y'])" */
static void expect_apart(const struct guard *g, struct buf *out)
{
	const char *open = strchr(g->text, '(');

	if (open && !strncmp(g->text, "check_no_aliasing(", 18))
		buf_addf(out, "all different: %.*s", (int)strlen(open + 1) - 1, open + 1);
	else
		add_remark(out, g->text);
}

/* The text of the n-th of "A, B, C": its length; *start moves to it. */
static size_t nth(const char **start, size_t n)
{
	const char *p, *from = *start;
	int open = 0;

	for (p = from; *p; p++) {
		open += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
		if (open < 0 || (!open && *p == ',' && !n--))
			break;
		if (!open && *p == ',')
			from = p + 2;
	}
	*start = from;
	return (size_t)(p - from);
}

/* "check_no_aliasing(A, B, C)": names two that are the same object. */
static void same_two(struct look *k, const struct guard *g, struct buf *out)
{
	const char *open = strchr(g->text, '('), *a, *b;
	char *list = mem_fmt("[%.*s]", open ? (int)strlen(open + 1) - 1 : 0, open ? open + 1 : "");
	PyObject *all = look_eval(k, list);
	Py_ssize_t i, j, n = all && PyList_Check(all) ? PyList_GET_SIZE(all) : 0;
	size_t na, nb;

	free(list);
	for (i = 0; i < n && !out->len; i++)
		for (j = i + 1; j < n && !out->len; j++) {
			if (PyList_GET_ITEM(all, i) != PyList_GET_ITEM(all, j))
				continue;
			a = b = open + 1;
			na = nth(&a, (size_t)i);
			nb = nth(&b, (size_t)j);
			buf_addf(out, "%.*s is %.*s", (int)na, a, (int)nb, b);
		}
	Py_XDECREF(all);
	if (!out->len)
		add_remark(out, "two of them are one object");
}

static void live_apart(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live)
{
	(void)v;
	(void)expected;
	if (verdict == VERDICT_FAILS)
		same_two(k, g, live);
	else if (verdict == VERDICT_HOLDS)
		add_remark(live, "all different");
}

/* "A is B" where both exist: adds that they are two objects, since their values may look alike. */
static void tell_apart(const char *text, struct buf *live)
{
	const char *other = strstr(text, " is ");

	if (other && (!strncmp(other + 4, "L['", 3) || !strncmp(other + 4, "G['", 3)) && live->s &&
	    !strstr(live->s, " is missing"))
		buf_adds(live, ": two objects");
}

/* The part of "A and B and C" that is false, else the first part that raises an exception: owned by the
   caller, or NULL. */
static char *failing_part(struct look *k, const char *text)
{
	const char *p, *end;
	char *part, *raises = NULL;
	PyObject *r;
	int holds;

	for (p = text; *p; p = *end ? end + 5 : end) {
		end = strstr(p, " and ");
		end = end ? end : p + strlen(p);
		part = mem_fmt("%.*s", (int)(end - p), p);
		r = look_eval(k, part);
		holds = r ? PyObject_IsTrue(r) : -1;
		PyErr_Clear();
		Py_XDECREF(r);
		if (holds == 0) {
			free(raises);
			return part;
		}
		if (holds < 0 && !raises)
			raises = part;
		else
			free(part);
	}
	return raises;
}

static void live_python(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
			struct buf *live)
{
	char *part = verdict == VERDICT_FAILS ? failing_part(k, g->text) : NULL;

	(void)v;
	if (part) {
		expected->len = 0;
		add_remark(expected, part);
		add_operands(k, part, live);
		tell_apart(part, live);
	}
	free(part);
	if (!live->len)
		add_remark(live, verdict == VERDICT_HOLDS ? "holds" : verdict == VERDICT_FAILS ? "does not hold" : "");
}

/* ---- the table ---------------------------------------------------------------------------------------------- */

static const struct {
	const char *kind;
	void (*expect)(const struct guard *g, struct buf *out);
	void (*live)(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		     struct buf *live);
} kinds[] = {
	{ "TENSOR_MATCH", guard_tensor_expected, guard_tensor_live },
	{ "TYPE_MATCH", guard_type_expected, guard_type_live },
	{ "ID_MATCH", guard_id_expected, guard_id_live },
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

static size_t kind_index(const struct guard *g)
{
	size_t i = 0;

	while (kinds[i].kind && strcmp(kinds[i].kind, g->kind))
		i++;
	return i;
}

void guard_expected(const struct guard *g, struct buf *out)
{
	kinds[kind_index(g)].expect(g, out);
}

void guard_python(const struct guard *g, struct buf *out)
{
	const char *text = g->text, *end = strstr(text, "), type=<class "), *against = strstr(text, " against {");
	size_t n = strcspn(text, "\n");
	const char *class;

	if (!strcmp(g->kind, "TYPE_MATCH") && *g->source && (class = guard_class(g, &n))) {
		buf_addf(out, "type(%s) is %.*s", g->source, (int)n, class);
		return;
	}
	if (strstr(text, "_hooks ids == ")) /* the description of a function of Dynamo, not an expression */
		buf_adds(out, "# ");
	if (end) /* the text after the call is a remark for people */
		n = (size_t)(end + 1 - text);
	else if (against)
		n = (size_t)(against - text);
	buf_add(out, text, n);
}

void guard_live(struct look *k, int leaf, enum verdict v, struct buf *expected, struct buf *live)
{
	const struct guard *g = &k->guards->guard[leaf];
	PyObject *value;
	enum have have = look_value(k, k->tree->leaf[leaf].branch, &value);

	guard_expected(g, expected);
	if (have == HAVE_MISSING)
		add_remark(live, "missing");
	else if (have == HAVE_VALUE)
		kinds[kind_index(g)].live(k, g, value, v, expected, live);
}

enum verdict guard_part_check(struct look *k, const struct guard *part, enum verdict whole)
{
	PyObject *r = whole == VERDICT_FAILS ? look_eval(k, part->text) : NULL;
	int holds = r ? PyObject_IsTrue(r) : -1;

	PyErr_Clear();
	Py_XDECREF(r);
	return whole != VERDICT_FAILS ? whole : holds < 0 ? VERDICT_UNKNOWN : holds ? VERDICT_HOLDS : VERDICT_FAILS;
}

void guard_part_live(struct look *k, const struct guard *part, enum verdict v, struct buf *expected, struct buf *live)
{
	guard_expected(part, expected);
	live_python(k, part, NULL, v, expected, live);
}
