/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python that compiled graphs are made of, line by line: see graph_code.h.  Reads its source only. */
#include "code/graph_code.h"
#include "torch/text.h"
#include <ctype.h>
#include <string.h>

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return isdigit((unsigned char)*s) ? 0 : n;
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* "NAME = VALUE": VALUE, or NULL. */
static const char *assigned(const char *s, size_t name)
{
	const char *p = s + name + strspn(s + name, " ");

	return name && *p == '=' && p[1] != '=' ? p + 1 + strspn(p + 1, " ") : NULL;
}

/* In inductor's call: "extern_kernels.mm(a, b, out=buf0)" computes buf0, "cpp_fused_add_0(buf0, buf1)" is a kernel. */
static char *called(const char *s)
{
	const char *out = strstr(s, "out="), *paren = strchr(s, '(');
	size_t n = strcspn(s, "( ");

	if (!paren || s + n != paren || begins(s, "assert_") || begins(s, "args.clear("))
		return NULL;
	if (out)
		return mem_fmt("%.*s", (int)name_length(out + 4), out + 4);
	if (n > 4 && begins(s + n - 4, ".run"))
		n -= 4;
	return mem_fmt("%.*s", (int)n, s);
}

/* Names of memory that nothing was computed into yet, and of what was computed before. */
static bool makes_value(const char *value)
{
	size_t n = name_length(value);

	if (begins(value, "empty_strided") || begins(value, "reinterpret_tensor") || begins(value, "alloc_"))
		return false;
	return !n || strchr("([.", value[n] ? value[n] : ' ') || !*value;
}

/* In inductor's call, whose file is read. */
static char *call_node(const char *s)
{
	const char *value;
	size_t n;

	s += strspn(s, " \t");
	n = name_length(s);
	value = assigned(s, n);
	if (!value)
		return begins(s, "del ") || begins(s, "return") ? NULL : called(s);
	return makes_value(value) ? mem_fmt("%.*s", (int)n, s) : NULL;
}

static bool is_op(const struct code *c, int i, const char *begin)
{
	return begins(host->op_name(c->instr[i].op), begin);
}

/* The first name of an instruction's argument: "a" of "a, b". */
static char *first_name(struct code *c, int i)
{
	struct buf arg = { 0 };
	char *name;

	host->code_arg_text(c, i, &arg);
	name = mem_fmt("%.*s", (int)strcspn(arg.s ? arg.s : "", ", "), arg.s ? arg.s : "");
	buf_release(&arg);
	return name;
}

/* "next(args_iter)" and "iter(args_list)" only take an input. */
static bool takes_input(struct code *c, int i)
{
	struct buf arg = { 0 };
	bool yes;

	if (!is_op(c, i, "LOAD_GLOBAL"))
		return false;
	host->code_arg_text(c, i, &arg);
	yes = arg.s && (strstr(arg.s, "next") || strstr(arg.s, "iter")) && !strchr(arg.s, '_');
	buf_release(&arg);
	return yes;
}

/* In FX's forward, told from the instructions: its source is only known to linecache, which a hook cannot ask. */
static char *forward_node(struct code *c, int line)
{
	int i, from = -1;

	for (i = 0; i < c->n; i++) {
		if (c->instr[i].line != line || is_op(c, i, "RESUME") || is_op(c, i, "CACHE"))
			continue;
		if (from < 0)
			from = i;
		if (c->instr[i].flags & INSTR_RETURN)
			return mem_str("output");
		if (!is_op(c, i, "STORE_FAST"))
			continue;
		if (takes_input(c, from) || (i == from + 1 && is_op(c, from, "LOAD_FAST")))
			return NULL;         /* a name for an input */
		return first_name(c, i);
	}
	return NULL;
}

char *graph_code_node(struct code *c, int line)
{
	const char *file = line > 0 ? utf8_of(((PyCodeObject *)c->co)->co_filename) : NULL, *s;

	if (!file)
		return NULL;
	if (begins(file, "<eval_with_key>"))
		return forward_node(c, line);
	s = host->source_line(file, line);
	return s ? call_node(s) : NULL;
}
