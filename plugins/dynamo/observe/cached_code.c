/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of the `call` that inductor wrote: see cached_code.h. */
#include "observe/cached_code.h"
#include "model/ints.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t cached_code_word(const char *s)
{
	return isdigit((unsigned char)*s) ? 0 : py_text_word(s);
}

int cached_code_find(const struct cached_code *code, const char *s, size_t len)
{
	PyObject *name = len ? PyUnicode_FromStringAndSize(s, (Py_ssize_t)len) : NULL;
	PyObject *at = name ? PyDict_GetItemWithError(code->names, name) : NULL;
	int i = at ? (int)PyLong_AsLong(at) : -1;

	PyErr_Clear();
	Py_XDECREF(name);
	return i;
}

static int variable_named(struct cached_code *code, const char *s, size_t len)
{
	int i = cached_code_find(code, s, len);
	PyObject *at = i < 0 ? PyLong_FromLong(code->nvars) : NULL;

	if (i >= 0)
		return i;
	code->var = mem_grow(code->var, &code->vars_cap, (size_t)code->nvars + 1, sizeof(*code->var));
	code->var[code->nvars] = (struct variable){ .name = mem_fmt("%.*s", (int)len, s),
						    .node = -1,
						    .memory = -1,
						    .whole = -1,
						    .helps = -1,
						    .line = -1,
						    .written = -1 };
	if (at)
		PyDict_SetItemString(code->names, code->var[code->nvars].name, at);
	PyErr_Clear();
	Py_XDECREF(at);
	return code->nvars++;
}

/* The variables that a text of n bytes names. */
static void read_used_names(struct cached_code *code, const char *s, size_t n, int **out, int *count)
{
	const char *end = s + n;
	size_t len;
	int i;

	while (s < end) {
		len = cached_code_word(s);
		i = len ? cached_code_find(code, s, len) : -1;
		if (i >= 0)
			ints_add(out, count, i);
		s += len ? len : 1;
	}
}

static struct call *append_call(struct cached_code *code, int kind, const char *op, size_t len, int write)
{
	struct call *c;

	code->call = mem_grow(code->call, &code->calls_cap, (size_t)code->ncalls + 1, sizeof(*code->call));
	c = &code->call[code->ncalls++];
	*c = (struct call){ .kind = kind, .op = mem_fmt("%.*s", (int)len, op), .write = write };
	return c;
}

static void note_first_use(struct cached_code *code, const struct call *c)
{
	int i, at = (int)(c - code->call);

	for (i = 0; i < c->nargs; i++)
		if (code->var[c->arg[i]].written < 0)
			code->var[c->arg[i]].written = at;
	if (c->write >= 0 && code->var[c->write].written < 0)
		code->var[c->write].written = at;
}

/* "extern_kernels.mm(a, b, out=c)", "cpp_fused_add_0(a, b)", or what a variable is set to:
   "torch.ops.aten.topk.default(a, 4)". */
static void read_operation(struct cached_code *code, const char *s, size_t len, int write)
{
	size_t name = 0;
	const char *out = strstr(s, "out=");
	bool library = py_text_begins_with(s, "extern_kernels.") || py_text_begins_with(s, "torch.ops.") ||
		       py_text_begins_with(s, "aten.");
	struct call *c;

	while (name < len && (isalnum((unsigned char)s[name]) || s[name] == '_' || s[name] == '.'))
		name++;
	if (!name || name == len || s[name] != '(' || py_text_begins_with(s, "assert_") ||
	    py_text_begins_with(s, "args.") || (!library && write >= 0))
		return;
	if (library && out && out < s + len && write < 0) {
		write = cached_code_find(code, out + 4, cached_code_word(out + 4));
		len = (size_t)(out - s);
	}
	c = append_call(code, library ? LIBRARY : KERNEL, s, name, write);
	c->args = s + name;
	read_used_names(code, s + name, len - name, &c->arg, &c->nargs);
	note_first_use(code, c);
}

/* "empty_strided_cpu((8, 1), ...)", "b; del b  # reuse", "reinterpret_tensor(b, (8, ), ...)" */
static void note_size(struct variable *v, const struct variable *from, const char *value, const char *inner)
{
	const char *s = py_text_begins_with(value, "empty_strided_") ? strchr(value, '(') :
			inner > value				     ? strchr(inner, ',') :
								       NULL;

	s = s ? s + 1 + strspn(s + 1, " ") : from ? from->size : NULL;
	v->size = s && *s == '(' ? s : NULL;
	v->cpu = from ? from->cpu : py_text_begins_with(value, "empty_strided_cpu(");
}

/* "a = empty_strided_cpu(...)", "a = b; del b  # reuse", "a = reinterpret_tensor(b, ...)  # alias", "a = b[0]" */
static void read_assignment(struct cached_code *code, const char *s, size_t name, const char *value, size_t len)
{
	int to = variable_named(code, s, name), from;
	const char *inner = py_text_begins_with(value, "reinterpret_tensor(") ? value + 19 : value;
	size_t word = cached_code_word(inner);
	struct call *c;

	from = cached_code_find(code, inner, word);
	note_size(&code->var[to], from < 0 ? NULL : &code->var[from], value, inner);
	if (from >= 0 && inner == value && value[word] == '[') {
		c = append_call(code, PART, value, word, to);
		c->part = atoi(value + word + 1);
		ints_add(&c->arg, &c->nargs, from);
		note_first_use(code, c);
	} else if (from >= 0 && value[word] != '.') {
		if (memmem(value, len, "# alias", 7))
			code->var[to].whole = from;
		else
			code->var[to].memory = from;
	} else
		read_operation(code, value, len, to);
}

/* "a, b = args": names of placeholders. */
static void read_inputs(struct cached_code *code, const char *s, size_t len)
{
	const char *end = s + len;
	size_t word;
	int i;

	for (; s < end; s += word ? word : 1) {
		word = cached_code_word(s);
		if (word) {
			i = variable_named(code, s, word);
			code->var[i].input = true;
			code->var[i].written = 0;
		}
	}
}

static void read_code_line(struct cached_code *code, const char *s, size_t len)
{
	static const char args[] = " = args";
	size_t name = cached_code_word(s), tail = strlen(args);

	if (len > tail && !strncmp(s + len - tail, args, tail))
		read_inputs(code, s, len - tail);
	else if (py_text_begins_with(s, "return "))
		code->result = s + 7;
	else if (name && py_text_begins_with(s + name, " = "))
		read_assignment(code, s, name, s + name + 3, len - name - 3);
	else if (!py_text_begins_with(s, "del ") && *s != '#')
		read_operation(code, s, len, -1);
}

/* The lines of `call`, which end where one is indented as its def or less. */
static void read_call(struct cached_code *code, const char *text)
{
	const char *s = strstr(text, "def call("), *p;
	size_t indent, len;

	if (!s)
		return;
	for (p = s; p > text && p[-1] != '\n'; p--)
		;
	indent = (size_t)(s - p);
	for (s = strchr(s, '\n'); s; s = strchr(s, '\n')) {
		s++;
		len = strcspn(s, "\n");
		for (p = s; *p == ' '; p++)
			;
		if (p < s + len && (size_t)(p - s) <= indent)
			return;
		if (p < s + len)
			read_code_line(code, p, len - (size_t)(p - s));
	}
}

struct kernel_use cached_code_use(const struct cached_code *code, const struct call *c, int var)
{
	return cached_kernels_use(code->kernels, c->op, c->args, code->var[var].name);
}

void cached_code_read(struct cached_code *code, const char *text)
{
	code->result = "";
	code->kernels = cached_kernels_read(text);
	code->names = PyDict_New();
	if (code->names)
		read_call(code, text);
	PyErr_Clear();
}

void cached_code_release(struct cached_code *code)
{
	int i;

	for (i = 0; i < code->nvars; i++)
		free(code->var[i].name);
	for (i = 0; i < code->ncalls; i++) {
		free(code->call[i].op);
		free(code->call[i].arg);
		free(code->call[i].fit);
	}
	free(code->var);
	free(code->call);
	cached_kernels_free(code->kernels);
	Py_XDECREF(code->names);
}
