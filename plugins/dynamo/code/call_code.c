/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that inductor writes, as text: see call_code.h.  Reads their lines only. */
#include "code/call_code.h"
#include "code/graph_codes.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MOST = 128 };

struct kernel {
	struct kernel *next;
	char *name;
	bool written[ARGS_MOST]; /* by the position of its argument */
};

struct call_kernels {
	struct kernel *first;
};

static size_t name_length(const char *s)
{
	return isdigit((unsigned char)*s) ? 0 : py_text_word(s);
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

/* ['const float*', 'float*', 'int64_t']: pointers that are not const are written. */
static void read_cpp(struct kernel *k, const char *s)
{
	size_t n;
	int i;

	for (i = 0; *s && *s != ']' && i < ARGS_MOST; i++) {
		s += strcspn(s, "'\"]");
		if (*s != '\'' && *s != '"')
			return;
		n = strcspn(s + 1, "'\"");
		k->written[i] = memchr(s + 1, '*', n) && !py_text_begins_with(s + 1, "const");
		s += 1 + n + (s[1 + n] != '\0');
	}
}

/* def NAME(in_ptr0, out_ptr0, in_out_ptr0, xnumel): by their names. */
static void read_triton(struct kernel *k, const char *s)
{
	const char *out;
	size_t n;
	int i;

	for (i = 0; *s && *s != ')' && i < ARGS_MOST; i++) {
		n = strcspn(s, ",)");
		out = strstr(s, "out_ptr");
		k->written[i] = out && out < s + n;
		s += n + (s[n] == ',');
	}
}

static struct kernel *kernel_named(const struct call_kernels *all, const char *s, size_t n)
{
	struct kernel *k;

	for (k = all ? all->first : NULL; k; k = k->next)
		if (strlen(k->name) == n && !strncmp(k->name, s, n))
			return k;
	return NULL;
}

static void kernel_line(struct call_kernels *all, const char *s)
{
	size_t n = name_length(s);
	const char *made = s + n + (py_text_begins_with(s + n, " = async_compile.") ? 17 : 0);
	struct kernel *k;

	if (py_text_begins_with(s, "def ")) {
		k = kernel_named(all, s + 4, name_length(s + 4));
		if (k && strchr(s, '('))
			read_triton(k, strchr(s, '(') + 1);
		return;
	}
	if (!n || made == s + n)
		return;
	k = mem_alloc(sizeof(*k));
	k->name = mem_fmt("%.*s", (int)n, s);
	k->next = all->first;
	all->first = k;
	if (py_text_begins_with(made, "cpp") && strchr(made, '['))
		read_cpp(k, strchr(made, '[') + 1);
}

struct call_kernels *call_kernels_read(const char *file, int before)
{
	struct call_kernels *all = mem_alloc(sizeof(*all));
	const char *s;
	int line;

	for (line = 1; file && line < before && (s = host->files.line(file, line)); line++)
		kernel_line(all, s);
	return all;
}

void call_kernels_free(struct call_kernels *all)
{
	struct kernel *k;

	while (all && (k = all->first)) {
		all->first = k->next;
		free(k->name);
		free(k);
	}
	free(all);
}

bool call_kernel_lines(const char *file, const char *name, int *first, int *last)
{
	size_t n = strlen(name);
	const char *s;
	int line;

	*first = 0;
	for (line = 1; (s = host->files.line(file, line)); line++) {
		if (!*first && !strncmp(s, name, n) && py_text_begins_with(s + n, " = async_compile."))
			*first = line;
		else if (*first &&
			 (py_text_begins_with(s, "'''") || strstr(s, "''')") || strstr(s, "''', device_str"))) {
			*last = line;
			return true;
		}
	}
	return false;
}

/* ---- statements ------------------------------------------------------------------------------------------------- */

/* "NAME = VALUE": VALUE, or NULL. */
static const char *assigned(const char *s, size_t name)
{
	const char *p = s + name + strspn(s + name, " ");

	return name && *p == '=' && p[1] != '=' ? p + 1 + strspn(p + 1, " ") : NULL;
}

static int local_named(const struct graph_lines *l, const char *s, size_t n)
{
	Py_ssize_t i, count = PyTuple_GET_SIZE(l->co->co_localsplusnames);
	const char *name;

	for (i = 0; n && i < count; i++) {
		name = graph_codes_local(l, (int)i);
		if (strlen(name) == n && !strncmp(name, s, n))
			return (int)i;
	}
	return -1;
}

static void writes_name(const struct graph_lines *l, struct graph_line *row, const char *s)
{
	int i = local_named(l, s, name_length(s));

	if (i >= 0)
		graph_line_writes(row, i);
}

/* "KERNEL(buf0, arg0_1, 16L)": the arguments that the kernel writes. */
static void kernel_writes(const struct graph_lines *l, struct graph_line *row, const struct kernel *k, const char *s)
{
	int i, depth = 0;

	for (i = 0; *s && i < ARGS_MOST; i++) {
		s += strspn(s, " ");
		if (k->written[i])
			writes_name(l, row, s);
		for (; *s && (depth || !strchr(",)", *s)); s++)
			depth += strchr("([", *s) ? 1 : strchr(")]", *s) ? -1 : 0;
		if (*s != ',')
			return;
		s++;
	}
}

/* In inductor's call: "extern_kernels.mm(a, b, out=buf0)" computes buf0, "cpp_fused_add_0(buf0, buf1)" is a kernel. */
static void read_called(const struct call_kernels *all, const struct graph_lines *l, struct graph_line *row,
			const char *s)
{
	const char *out = strstr(s, "out="), *paren = strchr(s, '(');
	size_t n = strcspn(s, "( ");
	struct kernel *k;

	if (!paren || s + n != paren || py_text_begins_with(s, "assert_") || py_text_begins_with(s, "args.clear(") ||
	    py_text_begins_with(s, "torch.cuda.") || py_text_begins_with(s, "run_intermediate_hooks("))
		return;
	row->kernel = true;
	if (out) {
		row->node = mem_fmt("%.*s", (int)name_length(out + 4), out + 4);
		row->called = mem_fmt("%.*s", (int)n, s);
		writes_name(l, row, out + 4);
		return;
	}
	if (n > 4 && py_text_begins_with(s + n - 4, ".run"))
		n -= 4;
	row->node = mem_fmt("%.*s", (int)n, s);
	k = kernel_named(all, s, n);
	if (k)
		kernel_writes(l, row, k, paren + 1);
}

/* "true_graph_0(true_graph_0_args)" */
static bool calls_subgraph(const char *s)
{
	size_t n = name_length(s);

	return n && s[n] == '(' && !strncmp(s + n + 1, s, n) && py_text_begins_with(s + n + 1 + n, "_args)");
}

/* "(buf0[0], buf0[1]) = while_loop_body_graph_0(args)", "buf3 = true_graph_0(true_graph_0_args)": the sub-graph that
   is called, and the buffers it writes. */
static bool read_subgraph(const struct graph_lines *l, struct graph_line *row, const char *s)
{
	const char *called = *s == '(' ? strstr(s, ") = ") : NULL, *value = assigned(s, name_length(s));
	size_t n = called ? name_length(called + 4) : 0;

	if (value && calls_subgraph(value)) {
		row->subgraph = true;
		row->node = mem_fmt("%.*s", (int)name_length(value), value);
		writes_name(l, row, s);
		return true;
	}
	if (!n || called[4 + n] != '(')
		return false;
	row->subgraph = true;
	row->node = mem_fmt("%.*s", (int)n, called + 4);
	for (; s < called; s += strcspn(s, ",)")) {
		s += 1 + strspn(s + 1, " ");
		writes_name(l, row, s);
	}
	return true;
}

/* "while_loop_body_graph_0_args = [buf0[0], buf0[1]]": what a sub-graph is given. */
static bool is_arguments(const char *name, size_t n, const char *value)
{
	return n > 5 && py_text_begins_with(name + n - 5, "_args") && *value == '[';
}

/* Memory that nothing was computed into yet, another name for what was computed before, and sizes of inputs. */
static bool makes_no_value(const char *value)
{
	size_t n = name_length(value);

	if (py_text_begins_with(value, "empty_strided") || py_text_begins_with(value, "reinterpret_tensor") ||
	    py_text_begins_with(value, "alloc_") || py_text_begins_with(value, "get_raw_stream") ||
	    py_text_begins_with(value, "[None] * "))
		return true;
	if (py_text_begins_with(value + n, ".size()") || py_text_begins_with(value + n, ".stride()"))
		return true;
	if (n > 5 && value[n] == '[' &&
	    (py_text_begins_with(value + n - 5, "_size") || py_text_begins_with(value + n - 5, "tride")))
		return true; /* s0 = arg1_1_size[0] */
	return n && !strchr("([.", value[n] ? value[n] : ' ');
}

/* "buf2_selector = int(buf1.item())", "u0 = buf0.item()": a value that a kernel wrote is read. */
static bool reads_item(const char *value)
{
	const char *s = py_text_begins_with(value, "int(") || py_text_begins_with(value, "bool(") ?
				strchr(value, '(') + 1 :
				value;

	return py_text_begins_with(s + name_length(s), ".item()");
}

void call_code_read(const struct call_kernels *all, const struct graph_lines *l, struct graph_line *row, const char *s)
{
	const char *value;
	size_t n;

	if (!s)
		return;
	s += strspn(s, " \t");
	if (read_subgraph(l, row, s))
		return;
	n = name_length(s);
	value = assigned(s, n);
	if (!value) {
		if (!py_text_begins_with(s, "del ") && !py_text_begins_with(s, "return"))
			read_called(all, l, row, s);
		return;
	}
	writes_name(l, row, s);
	row->memory = makes_no_value(value) || py_text_begins_with(value, "args") || is_arguments(s, n, value);
	row->kernel = !row->memory && value[name_length(value)] != '[' && strchr(value, '(') && !reads_item(value);
	if (!row->memory)
		row->node = mem_fmt("%.*s", (int)n, s);
	if (row->kernel)
		row->called = mem_fmt("%.*s", (int)strcspn(value, "("), value);
}
