/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a pattern of a match statement.  Knows no instructions. */
#include <Python.h>
#include <string.h>
#include "py/decompile/bytecode/match.h"

enum within { W_ANY, W_OR, W_CLOSED }; /* what may be written there: all, no `as`, neither `as` nor `|` */

static bool write_pattern(struct dec *d, const struct pattern *p, enum within w, struct buf *out);

const char *pattern_constant(struct dec *d, PyObject *v, bool key)
{
	struct buf out = { NULL, 0, 0 };
	const char *text = NULL;
	bool one = v == Py_None || PyBool_Check(v);

	if ((one && key) || (!one && (PyLong_CheckExact(v) || PyFloat_CheckExact(v) || PyUnicode_CheckExact(v) ||
				      PyBytes_CheckExact(v)))) {
		if (dec_is_literal(v)) {
			dec_literal(v, &out);
			text = dec_alloc(d, out.len + 1);
			memcpy((char *)text, buf_str(&out), out.len);
		}
	}
	buf_release(&out);
	return text;
}

static bool write_kid(struct dec *d, const struct pattern *p, enum within w, struct buf *out)
{
	if (p)
		return write_pattern(d, p, w, out);
	buf_addc(out, '_');
	return true;
}

/* Elements that nothing looked at: as many wildcards as the length says. */
static bool write_wildcards(const struct pattern *p, struct buf *out)
{
	int i;

	for (i = 0; i < p->length; i++)
		buf_adds(out, i ? ", _" : "_");
	if (p->length < 0 || p->least)
		buf_adds(out, p->length > 0 ? ", *_" : "*_");
	return true;
}

/* Elements that were looked at one by one: those from the beginning, a star, those from the end. */
static bool write_picked(struct dec *d, const struct pattern *p, struct buf *out)
{
	int i, k, end = 0;

	for (i = 0; i < p->nlast; i++)
		end = p->last[i] > end ? p->last[i] : end;
	if (!p->least || end > p->length || p->n - p->nlast > p->length - end)
		return false;
	for (i = 0; i < p->length - end; i++) {
		if (!write_kid(d, i < PATTERN_KIDS - p->nlast ? p->kid[i] : NULL, W_ANY, out))
			return false;
		buf_adds(out, ", ");
	}
	buf_adds(out, "*_");
	for (i = end; i > 0; i--) {
		buf_adds(out, ", ");
		for (k = 0; k < p->nlast && p->last[k] != i; k++)
			;
		if (!write_kid(d, k < p->nlast ? p->kid[PATTERN_KIDS - 1 - k] : NULL, W_ANY, out))
			return false;
	}
	return true;
}

static bool write_sequence(struct dec *d, const struct pattern *p, struct buf *out)
{
	int i;
	bool fine = true;

	buf_addc(out, '[');
	if (!p->unpacked) {
		fine = p->n || p->nlast ? write_picked(d, p, out) : write_wildcards(p, out);
	} else {
		for (i = 0; fine && i < p->n; i++) {
			buf_adds(out, i ? ", " : "");
			buf_adds(out, i == p->star ? "*" : "");
			fine = write_kid(d, p->kid[i], W_ANY, out) && (i != p->star || p->kid[i]->kind == P_ANY);
		}
	}
	buf_addc(out, ']');
	return fine;
}

static bool write_mapping(struct dec *d, const struct pattern *p, struct buf *out)
{
	const char *key;
	int i;

	buf_addc(out, '{');
	for (i = 0; i < p->nkeys; i++) {
		key = p->key ? p->key[i] : pattern_constant(d, PyTuple_GET_ITEM(p->keys, i), true);
		if (!key)
			return false;
		buf_addf(out, "%s%s: ", i ? ", " : "", key);
		if (!write_kid(d, p->kid[i], W_ANY, out))
			return false;
	}
	if (p->rest)
		buf_addf(out, "%s**%s", p->nkeys ? ", " : "", p->rest);
	buf_addc(out, '}');
	return p->n == p->nkeys;
}

static bool write_class(struct dec *d, const struct pattern *p, struct buf *out)
{
	Py_ssize_t n = PyTuple_GET_SIZE(p->keys);
	PyObject *name;
	int i;

	if (p->n != p->positional + n)
		return false;
	buf_addf(out, "%s(", p->text);
	for (i = 0; i < p->n; i++) {
		buf_adds(out, i ? ", " : "");
		if (i >= p->positional) {
			name = PyTuple_GET_ITEM(p->keys, i - p->positional);
			if (!PyUnicode_Check(name) || !dec_is_identifier(name))
				return false;
			buf_addf(out, "%s=", PyUnicode_AsUTF8(name));
		}
		if (!write_kid(d, p->kid[i], W_ANY, out))
			return false;
	}
	buf_addc(out, ')');
	return true;
}

static bool write_bare(struct dec *d, const struct pattern *p, struct buf *out)
{
	int i;

	switch (p->kind) {
	case P_ANY:
		buf_addc(out, '_');
		return true;
	case P_VALUE:
		buf_adds(out, p->text);
		return true;
	case P_SEQUENCE:
		return write_sequence(d, p, out);
	case P_MAPPING:
		return write_mapping(d, p, out);
	case P_CLASS:
		return write_class(d, p, out);
	default:
		for (i = 0; i < p->n; i++) {
			buf_adds(out, i ? " | " : "");
			if (!write_kid(d, p->kid[i], W_CLOSED, out))
				return false;
		}
		return true;
	}
}

static bool write_pattern(struct dec *d, const struct pattern *p, enum within w, struct buf *out)
{
	bool around = (p->name && p->kind != P_ANY && w != W_ANY) || (p->kind == P_OR && w == W_CLOSED), fine;

	dec_deep();
	if (p->name && p->kind == P_ANY) {
		buf_adds(out, p->name);
		return true;
	}
	buf_adds(out, around ? "(" : "");
	fine = write_bare(d, p, out);
	if (p->name)
		buf_addf(out, " as %s", p->name);
	buf_adds(out, around ? ")" : "");
	return fine;
}

const char *pattern_text(struct dec *d, const struct pattern *p)
{
	struct buf out = { NULL, 0, 0 };
	char *text = NULL;

	if (write_pattern(d, p, W_ANY, &out)) {
		text = dec_alloc(d, out.len + 1);
		memcpy(text, buf_str(&out), out.len);
	}
	buf_release(&out);
	return text;
}
