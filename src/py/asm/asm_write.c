/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a code object as the text that asm_read() reads. Prefixes and caches are omitted: the assembler makes them. */
#include <Python.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/value/value.h"

enum { COMMENT_COLUMN = 44, COMMENT_MAX = 60 };

/* Where a line that the user gives jumps: "POP_JUMP_IF_TRUE to 40", as in `disassemble`.  -1: it names no instruction;
   *n: the length of the text before it. */
static int goal(struct code *c, const char *line, size_t *n)
{
	size_t end = strcspn(line, "\n"), at;
	long offset;
	int index;

	while (end && strchr(" \t)", line[end - 1]))
		end--;
	for (at = end; at && isdigit((unsigned char)line[at - 1]); at--)
		;
	if (at == end || end - at > 9 || at < 4 || strncmp(line + at - 3, "to ", 3) || !strchr(" \t(", line[at - 4]))
		return -1;
	offset = strtol(line + at, NULL, 10);
	index = code_index(c, (int)offset);
	*n = at - 3 - (line[at - 4] == '(');
	return index >= 0 && c->instr[index].offset == offset ? index : -1;
}

static void mark_goals(struct code *c, const char *lines, int *label)
{
	size_t n;
	int i;

	for (; lines && *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n') {
		i = goal(c, lines, &n);
		if (i >= 0)
			label[i] = 1;
	}
}

/* Numbers every position that is referred to, from top to bottom; c->n is the end. */
static int *labels_of(struct code *c, const struct asm_style *style)
{
	int *label = mem_alloc(((size_t)c->n + 1) * sizeof(*label)), i, n = 0;

	for (i = 0; i < c->n; i++)
		if (c->instr[i].target >= 0)
			label[c->instr[i].target] = 1;
	for (i = 0; i < c->nexcept; i++)
		label[c->except[i].start] = label[c->except[i].end] = label[c->except[i].target] = 1;
	mark_goals(c, style->before, label);
	mark_goals(c, style->instead, label);
	for (i = 0; i <= c->n; i++)
		if (label[i])
			label[i] = ++n;
	return label;
}

static void write_names(struct assembly *a, const char *what, int from, int to, struct buf *out)
{
	int i;

	buf_addf(out, ".%s", what);
	for (i = from; i < to; i++) {
		buf_addc(out, ' ');
		asm_operand_item(&a->locals, i, out);
	}
	buf_addc(out, '\n');
}

static void write_head(struct assembly *a, const char *id, struct buf *out)
{
	PyCodeObject *co = (PyCodeObject *)a->base->co;
	int args = code_nargs(a->base);

	if (id)
		buf_addf(out, ".code %s\n", id);
	write_names(a, "args", 0, args, out);
	write_names(a, "locals", args, co->co_nlocals, out);
	write_names(a, "cells", co->co_nlocals, co->co_nlocalsplus - co->co_nfreevars, out);
	write_names(a, "free", co->co_nlocalsplus - co->co_nfreevars, co->co_nlocalsplus, out);
}

static bool same_source_position(const struct instr *a, const struct instr *b)
{
	return a->line == b->line && a->end_line == b->end_line && a->col == b->col && a->end_col == b->end_col;
}

static void write_place(const struct instr *in, struct buf *out)
{
	if (!in->line && !in->end_line && in->col < 0) {
		buf_adds(out, ".line none\n");
		return;
	}
	buf_addf(out, ".line %d", in->line);
	if (in->end_line != in->line)
		buf_addf(out, "-%d", in->end_line);
	if (in->col >= 0)
		buf_addf(out, " %d:%d", in->col, in->end_col);
	buf_addc(out, '\n');
}

/* The text after `$3` or a bare number, for the reader. */
static void write_comment(struct assembly *a, int index, size_t line, size_t operand, struct buf *out)
{
	struct buf b = { 0 };
	struct op_words words;
	const struct instr *in = &a->base->instr[index];
	PyObject *v;

	if (op_arg_kind(in->op) == ARG_CONST) {
		v = (PyObject *)code_arg_object(a->base, index);
		if (!v || a->consts.text[py_op_arg_index(in->op, in->arg, &words)])
			return;
		value_show((struct py_obj *)v, &b, COMMENT_MAX);
	} else if (out->s[operand] == '$' || (out->s[operand] == '=' && isdigit((unsigned char)out->s[operand + 1]))) {
		code_arg_text(a->base, index, &b);
	}
	if (b.len && !memchr(b.s, '\n', b.len)) {
		buf_pad(out, COMMENT_COLUMN, line);
		buf_addf(out, "# %s", b.s);
	}
	buf_release(&b);
}

static void write_instr(struct assembly *a, const int *label, int index, struct buf *out)
{
	const struct instr *in = &a->base->instr[index];
	const char *name = py_op_name(op_plain(in->op));
	size_t line = out->len, operand;

	if (!in->has_arg) {
		buf_addf(out, "    %s\n", name);
		return;
	}
	buf_addf(out, "    %-24s ", name);
	operand = out->len;
	if (in->target >= 0)
		buf_addf(out, "L%d", label[in->target]);
	else
		asm_operand_write(a, in, out);
	write_comment(a, index, line, operand, out);
	buf_addc(out, '\n');
}

/* Lines of the user: each is one instruction. */
static void write_given(struct code *c, const int *label, const char *s, struct buf *out)
{
	size_t n, m;
	int to;

	for (; s && *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		to = goal(c, s, &m);
		if (to >= 0)
			buf_addf(out, "    %.*s L%d\n", (int)m, s, label[to]);
		else
			buf_addf(out, "    %.*s\n", (int)n, s);
	}
}

static void write_ranges(const struct code *c, const int *label, struct buf *out)
{
	int i;

	for (i = 0; i < c->nexcept; i++)
		buf_addf(out, ".try L%d L%d L%d depth %d%s\n", label[c->except[i].start], label[c->except[i].end],
			 label[c->except[i].target], c->except[i].depth, c->except[i].lasti ? " lasti" : "");
}

/* The first of an instruction's prefixes: what refers to the instruction refers to that. */
static int first_prefix(const struct code *c, int index)
{
	while (index > 0 && c->instr[index - 1].flags & INSTR_PREFIX)
		index--;
	return index;
}

void asm_write(struct code *c, const struct asm_style *style, struct buf *out)
{
	const struct instr none = { .line = -1 }, *last = &none;
	bool changes = style->before || style->instead;
	struct assembly a;
	struct err err;
	int *label, i;

	if (assembly_init(&a, c, NULL, &err) < 0)
		return;
	label = labels_of(c, style);
	write_head(&a, style->id, out);
	for (i = 0; i <= c->n; i++) {
		if (i < c->n && style->comment && !(c->instr[i].flags & INSTR_PREFIX))
			style->comment(style->arg, c, first_prefix(c, i), out);
		if (label[i])
			buf_addf(out, "L%d:\n", label[i]);
		if (i == c->n || c->instr[i].flags & INSTR_PREFIX)
			continue;
		if (!same_source_position(&c->instr[i], last))
			write_place(&c->instr[i], out);
		last = &c->instr[i];
		if (changes && i == style->index)
			write_given(c, label, style->before, out);
		if (changes && i == style->index && style->instead)
			write_given(c, label, style->instead, out);
		else
			write_instr(&a, label, i, out);
	}
	write_ranges(c, label, out);
	free(label);
	assembly_release(&a);
}
