/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 of Python's strings.  A str may have lone surrogates (a file name whose bytes are not UTF-8), which UTF-8
   cannot encode: no function here leaves an exception set.  Knows nothing of Dynamo. */
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

static struct text {
	struct text *next;
	char s[];
} * text_at[BUCKETS];

const char *py_text_keep(const char *s)
{
	unsigned h = 5381;
	struct text *t;
	const char *p;

	for (p = s; *p; p++)
		h = h * 33 ^ (unsigned char)*p;
	for (t = text_at[h % BUCKETS]; t; t = t->next)
		if (!strcmp(t->s, s))
			return t->s;
	t = mem_alloc(sizeof(*t) + strlen(s) + 1);
	memcpy(t->s, s, strlen(s) + 1);
	t->next = text_at[h % BUCKETS];
	text_at[h % BUCKETS] = t;
	return t->s;
}

const char *py_text_keep_part(const char *s, size_t n)
{
	char *copy = mem_strn(s, n);
	const char *text = py_text_keep(copy);

	free(copy);
	return text;
}

const char *py_text_utf8(PyObject *v)
{
	const char *s = v && PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;

	if (!s)
		PyErr_Clear();
	return s;
}

/* A copy with each lone surrogate as Python's escape for it, "\udce9", owned by the caller; NULL for anything but a
   str. */
static char *escaped(PyObject *v)
{
	PyObject *bytes = PyUnicode_Check(v) ? PyUnicode_AsEncodedString(v, "utf-8", "backslashreplace") : NULL;
	char *copy = bytes ? mem_str(PyBytes_AS_STRING(bytes)) : NULL;

	PyErr_Clear();
	Py_XDECREF(bytes);
	return copy;
}

/* Names of files and functions are asked for again and again while Dynamo compiles.  An address may be used again by
   another str, which has another hash. */
static struct {
	PyObject *v; /* only compared */
	Py_hash_t hash;
	Py_ssize_t n;
	const char *kept;
} recent[1024];

const char *py_text_utf8_kept(PyObject *v)
{
	const bool exact = v && PyUnicode_CheckExact(v);
	const Py_hash_t hash = exact ? PyObject_Hash(v) : 0;
	const size_t at = ((uintptr_t)(void *)v >> 4) % (sizeof(recent) / sizeof(*recent));
	const char *s, *kept;
	char *copy;

	if (exact && recent[at].v == v && recent[at].hash == hash && recent[at].n == PyUnicode_GET_LENGTH(v))
		return recent[at].kept;
	s = py_text_utf8(v);
	copy = s || !v ? NULL : escaped(v);
	kept = py_text_keep(s ? s : copy ? copy : "?");
	free(copy);
	if (exact) {
		recent[at].v = v;
		recent[at].hash = hash;
		recent[at].n = PyUnicode_GET_LENGTH(v);
		recent[at].kept = kept;
	}
	return kept;
}

char *py_text_str(PyObject *v)
{
	PyObject *s = v && v != Py_None ? PyObject_Str(v) : NULL;
	const char *text = py_text_utf8(s);
	char *copy = text ? mem_str(text) : s ? escaped(s) : NULL;

	PyErr_Clear();
	Py_XDECREF(s);
	return copy;
}

bool py_text_begins_with(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

size_t py_text_word(const char *s)
{
	size_t n = 0;

	while (is_of_word(s[n]))
		n++;
	return n;
}

bool py_text_has_word(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);
	const char *p, *end = s + n;

	for (p = s; len && (p = memmem(p, (size_t)(end - p), word, len)); p += len)
		if ((p == s || !is_of_word(p[-1])) && !is_of_word(p[len]))
			return true;
	return false;
}

bool py_text_lists(const char *words, const char *word)
{
	size_t n = strlen(word), k;
	const char *p;

	for (p = words ? words : ""; *p; p += k + (p[k] == ' ')) {
		k = strcspn(p, " ");
		if (k == n && !strncmp(p, word, n))
			return true;
	}
	return false;
}

bool py_text_ends_with(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && !strcmp(s + n - m, with);
}

const char *py_text_file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return visible(slash ? slash + 1 : path ? path : "");
}
