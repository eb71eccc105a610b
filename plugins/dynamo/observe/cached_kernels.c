/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels in C++ do with their parameters: see cached_kernels.h. */
#include "observe/cached_kernels.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
	const char *at;		/* after "kernel(" of its definition */
	struct kernel_use *use; /* by parameter; NULL: it was not read yet */
	int n;
};

struct cached_kernels {
	PyObject *names; /* owned: name -> index */
	struct kernel *at;
	int n;
	size_t cap;
};

/* The last word of the next of the items that commas separate, from *s on.  NULL: there is none. */
static const char *next_argument(const char **s, size_t *len)
{
	const char *p = *s + strspn(*s, "(, \n"), *end = p, *word;
	int depth = 0;

	for (; *end && (depth || (*end != ',' && *end != ')')); end++)
		depth += *end == '(' || *end == '[' ? 1 : *end == ')' || *end == ']' ? -1 : 0;
	for (word = end; word > p && (isalnum((unsigned char)word[-1]) || word[-1] == '_'); word--)
		;
	*len = (size_t)(end - word);
	*s = end;
	return end > p ? word : NULL;
}

/* What a line of n bytes stores into a parameter, or NULL. */
static const char *stored_into(const char *s, size_t n, const char *parameter, size_t len)
{
	static const char vector[] = ".store(";
	const char *p = memmem(s, n, vector, strlen(vector));

	if (!strncmp(s, parameter, len) && s[len] == '[')
		return memmem(s, n, "] = ", 4);
	p = p ? p + strlen(vector) : NULL;
	return p && !strncmp(p, parameter, len) && (p[len] == ' ' || p[len] == ',') ? s : NULL;
}

/* "auto out_ptr1 = in_out_ptr0;": another name of a parameter, NULL: this line makes none. */
static char *alias_made(const char *s, size_t n, const char *parameter)
{
	static const char begin[] = "auto ";
	const char *name = s + strlen(begin);
	size_t len;

	if (!py_text_begins_with(s, begin) || !py_text_has_word(s, n, parameter) || s[n - 1] != ';')
		return NULL;
	len = py_text_word(name);
	return py_text_begins_with(name + len, " = ") && n == strlen(begin) + len + 3 + strlen(parameter) + 1 ?
		       mem_fmt("%.*s", (int)len, name) :
		       NULL;
}

/* One line: what it stores, and what it reads if nothing was stored before. */
static void read_kernel_line(struct kernel_use *use, const char *s, size_t n, const char *name, bool *written)
{
	const char *stored = stored_into(s, n, name, strlen(name));

	if (stored)
		use->reduced = memmem(stored, (size_t)(s + n - stored), "tmp_acc", 7) != NULL;
	if (stored != s && !*written)
		use->read |= py_text_has_word(stored ? stored : s, (size_t)(s + n - (stored ? stored : s)), name);
	*written |= stored != NULL;
}

/* What the kernel does with one of its parameters; s: its text after them. */
static struct kernel_use use_of(const char *s, const char *end, const char *name)
{
	struct kernel_use use = { 0 };
	char *other = NULL, *made;
	bool written = false;
	size_t n;

	for (; s < end; s += n + (s[n] == '\n')) {
		s += strspn(s, " ");
		n = strcspn(s, "\n");
		made = n ? alias_made(s, n, name) : NULL;
		use.read |= made && (other || py_text_begins_with(made, "in_ptr"));
		if (!made) {
			read_kernel_line(&use, s, n, name, &written);
			if (other)
				read_kernel_line(&use, s, n, other, &written);
			continue;
		}
		free(other);
		other = made;
	}
	use.read |= !written;
	free(other);
	return use;
}

static void read_kernel(struct kernel *k)
{
	const char *s = k->at, *end = strstr(s, "''')"), *name;
	size_t len, cap = 0;
	char *copy;

	k->use = mem_grow(k->use, &cap, 1, sizeof(*k->use));
	while (end && (name = next_argument(&s, &len))) {
		k->use = mem_grow(k->use, &cap, (size_t)k->n + 1, sizeof(*k->use));
		copy = mem_fmt("%.*s", (int)len, name);
		k->use[k->n++] = use_of(s, end, copy);
		free(copy);
	}
}

struct cached_kernels *cached_kernels_read(const char *text)
{
	static const char begin[] = " = async_compile.cpp_pybinding(";
	struct cached_kernels *k = mem_alloc(sizeof(*k));
	const char *p, *name;
	PyObject *key, *at;

	k->names = PyDict_New();
	for (p = text; k->names && (p = strstr(p, begin)); p += strlen(begin)) {
		for (name = p; name > text && name[-1] != '\n'; name--)
			;
		key = PyUnicode_FromStringAndSize(name, p - name);
		at = PyLong_FromLong(k->n);
		p = strstr(p, "  kernel(");
		if (p && key && at && PyDict_SetItem(k->names, key, at) == 0) {
			k->at = mem_grow(k->at, &k->cap, (size_t)k->n + 1, sizeof(*k->at));
			k->at[k->n++] = (struct kernel){ .at = p + strlen("  kernel(") };
		}
		Py_XDECREF(key);
		Py_XDECREF(at);
		if (!p)
			break;
	}
	PyErr_Clear();
	return k;
}

void cached_kernels_free(struct cached_kernels *k)
{
	int i;

	for (i = 0; k && i < k->n; i++)
		free(k->at[i].use);
	if (k) {
		free(k->at);
		Py_XDECREF(k->names);
	}
	free(k);
}

static struct kernel *kernel_called(const struct cached_kernels *k, const char *name)
{
	PyObject *key = k->names ? PyUnicode_FromString(name) : NULL;
	PyObject *at = key ? PyDict_GetItemWithError(k->names, key) : NULL;
	struct kernel *found = at ? &k->at[PyLong_AsLong(at)] : NULL;

	PyErr_Clear();
	Py_XDECREF(key);
	return found;
}

struct kernel_use cached_kernels_use(struct cached_kernels *k, const char *kernel, const char *args,
				     const char *variable)
{
	static const struct kernel_use unknown = { .read = true };
	struct kernel *found = args ? kernel_called(k, kernel) : NULL;
	size_t wanted = strlen(variable), len;
	const char *name;
	int i = 0;

	if (found && !found->use)
		read_kernel(found);
	for (; found && i < found->n && (name = next_argument(&args, &len)); i++)
		if (len == wanted && !strncmp(name, variable, len))
			return found->use[i];
	return unknown;
}
