/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembler's text, line by line: labels, instructions, `.line`, `.try` and the names that must agree with the
   base.  Knows no opcode by name. */
#include <Python.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"

enum { LINES_MAX = 1000000 };

struct reading {
	struct assembly *a;
	struct instr place; /* what `.line` said last */
	int at;
};

/* ---- words ------------------------------------------------------------------------------------------ */

/* The line without its comment and outer spaces, owned by the caller.  A # in quotes does not begin a comment. */
static char *bare_line(const char *s, size_t n)
{
	size_t i, end = n;
	char quote = 0, *text;

	for (i = 0; i < n; i++) {
		if (quote) {
			if (s[i] == '\\')
				i++;
			else if (s[i] == quote)
				quote = 0;
		} else if (s[i] == '\'' || s[i] == '"') {
			quote = s[i];
		} else if (s[i] == '#') {
			end = i;
			break;
		}
	}
	while (end && isspace((unsigned char)s[end - 1]))
		end--;
	for (i = 0; i < end && isspace((unsigned char)s[i]); i++)
		;
	text = mem_strn(s + i, end - i);
	return text;
}

/* The next word, cut out of the line; NULL past the last. */
static char *next_word(char **s)
{
	char *word = *s + strspn(*s, " \t"), *end = word + strcspn(word, " \t");

	if (!*word)
		return NULL;
	*s = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static int read_count(const char *s, const char **end)
{
	char *stop;
	long n = strtol(s, &stop, 10);

	*end = stop;
	return stop == s || n < 0 || n > INT32_MAX / 2 ? -1 : (int)n;
}

/* ---- labels ----------------------------------------------------------------------------------------- */

static bool is_label(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return n > 0 && !isdigit((unsigned char)*s);
}

static int label_named(struct reading *r, const char *name)
{
	struct assembly *a = r->a;
	int i;

	for (i = 0; i < a->nlabels; i++)
		if (!strcmp(a->label[i].name, name))
			return i;
	a->label = mem_grow(a->label, &a->label_cap, (size_t)a->nlabels + 1, sizeof(*a->label));
	a->label[a->nlabels] = (struct asm_label){ .name = mem_str(name), .index = -1, .at = r->at };
	return a->nlabels++;
}

static int label_here(struct reading *r, const char *name)
{
	int i = label_named(r, name); /* may move them */
	struct asm_label *l = &r->a->label[i];

	if (l->index >= 0)
		return assembly_refuse(r->a, r->at, "label '%s' is defined twice", name);
	l->index = r->a->code.n;
	return 0;
}

/* ---- directives ------------------------------------------------------------------------------------- */

/* Callers of the function depend on its arguments, cells and free variables: they cannot be changed. */
static int read_fixed(struct reading *r, const char *what, int from, int to, char *rest)
{
	struct asm_table *t = &r->a->locals;
	struct buf b = { 0 };
	char *word;
	bool same;
	int i;

	for (i = from; i < to; i++) {
		word = next_word(&rest);
		buf_reset(&b);
		asm_operand_item(t, i, &b);
		same = word && !strcmp(word, buf_str(&b));
		if (!same)
			break;
	}
	same = i == to && !next_word(&rest);
	buf_reset(&b);
	for (i = from; i < to; i++) {
		buf_adds(&b, i > from ? " " : "");
		asm_operand_item(t, i, &b);
	}
	if (!same)
		assembly_refuse(r->a, r->at, "the %s must stay as they are: '%s'", what, buf_str(&b));
	buf_release(&b);
	return same ? 0 : -1;
}

/* All existing variables in their order, then new ones. */
static int read_locals(struct reading *r, int from, char *rest)
{
	struct assembly *a = r->a;
	struct buf b = { 0 };
	int i, k, ret = 0;
	char *word;

	if (a->code.n)
		return assembly_refuse(a, r->at, "'.locals' must come before the first instruction");
	for (i = from; ret == 0 && (word = next_word(&rest)); i++) {
		if (i < a->nlocals) {
			buf_reset(&b);
			asm_operand_item(&a->locals, i, &b);
			if (strcmp(word, buf_str(&b)))
				ret = assembly_refuse(a, r->at,
						      "variable '%s' must keep its place: add new ones "
						      "after the existing ones",
						      buf_str(&b));
			continue;
		}
		for (k = 0; ret == 0 && k < a->locals.n; k++)
			if (a->locals.text[k] && !strcmp(a->locals.text[k], word))
				ret = assembly_refuse(a, r->at, "variable '%s' is there twice", word);
		if (ret == 0 && !asm_operand_plain_name(word))
			ret = assembly_refuse(a, r->at, "'%s' cannot be a variable", word);
		if (ret == 0)
			ret = assembly_add_local(a, word, r->at);
	}
	if (ret == 0 && i < a->nlocals) {
		buf_reset(&b);
		asm_operand_item(&a->locals, i, &b);
		ret = assembly_refuse(a, r->at, "variable '%s' must stay", buf_str(&b));
	}
	buf_release(&b);
	return ret;
}

/* none | N[-M] [C:D] */
static int read_position(struct reading *r, char *rest)
{
	struct instr in = { .col = -1, .end_col = -1 };
	char *lines = next_word(&rest), *columns = next_word(&rest);
	const char *s;

	if (lines && !strcmp(lines, "none") && !columns) {
		r->place = in;
		return 0;
	}
	in.line = in.end_line = lines ? read_count(lines, &s) : -1;
	if (in.line >= 0 && *s == '-')
		in.end_line = read_count(s + 1, &s);
	if (in.line < 0 || in.line > LINES_MAX * 10 || in.end_line < in.line || *s)
		return assembly_refuse(r->a, r->at, "expected a line: '.line 12', '.line 12-14 4:20', '.line none'");
	if (columns) {
		in.col = read_count(columns, &s);
		in.end_col = *s == ':' ? read_count(s + 1, &s) : -1;
		if (in.col < 0 || in.end_col < 0 || *s)
			return assembly_refuse(r->a, r->at, "expected columns: '4:20'");
	}
	r->place = in;
	return next_word(&rest) ? assembly_refuse(r->a, r->at, "too many words") : 0;
}

/* START END HANDLER depth N [lasti] */
static int read_try(struct reading *r, char *rest)
{
	struct assembly *a = r->a;
	struct asm_range range = { .at = r->at };
	int *label[] = { &range.start, &range.end, &range.target };
	char *word, *depth, *lasti;
	const char *end = "";
	size_t i;

	for (i = 0; i < 3; i++) {
		word = next_word(&rest);
		if (!word || !is_label(word, strlen(word)))
			break;
		*label[i] = label_named(r, word);
	}
	word = next_word(&rest);
	depth = next_word(&rest);
	lasti = next_word(&rest);
	range.depth = depth ? read_count(depth, &end) : -1;
	range.lasti = lasti && !strcmp(lasti, "lasti");
	if (i < 3 || !word || strcmp(word, "depth") || range.depth < 0 || *end || (lasti && !range.lasti) ||
	    next_word(&rest))
		return assembly_refuse(a, r->at, "expected '.try START END HANDLER depth N [lasti]'");
	a->range = mem_grow(a->range, &a->range_cap, (size_t)a->nranges + 1, sizeof(*a->range));
	a->range[a->nranges++] = range;
	return 0;
}

static int read_directive(struct reading *r, char *rest)
{
	PyCodeObject *co = (PyCodeObject *)r->a->base->co;
	int args = code_nargs(r->a->base);
	int frees = r->a->locals.n - co->co_nfreevars;
	char *word = next_word(&rest);

	if (!strcmp(word, ".code"))
		return 0; /* asm_id() read it */
	if (!strcmp(word, ".args"))
		return read_fixed(r, "arguments", 0, args, rest);
	if (!strcmp(word, ".locals"))
		return read_locals(r, args, rest);
	if (!strcmp(word, ".cells"))
		return read_fixed(r, "cells", r->a->nlocals, frees, rest);
	if (!strcmp(word, ".free"))
		return read_fixed(r, "free variables", frees, r->a->locals.n, rest);
	if (!strcmp(word, ".line"))
		return read_position(r, rest);
	if (!strcmp(word, ".try"))
		return read_try(r, rest);
	return assembly_refuse(r->a, r->at, "'%s' is unknown: .code, .args, .locals, .cells, .free, .line, .try", word);
}

/* ---- instructions ----------------------------------------------------------------------------------- */

static int read_instr(struct reading *r, char *rest)
{
	struct assembly *a = r->a;
	char *name = next_word(&rest);
	int op = op_named(name), jump = -1;
	struct instr in = r->place;

	rest += strspn(rest, " \t");
	if (op < 0)
		return assembly_refuse(a, r->at, "no instruction is called '%.60s'", name);
	in.op = (uint8_t)op;
	in.has_arg = py_op_has_arg(op);
	in.target = in.depth = -1;
	if (!in.has_arg && *rest)
		return assembly_refuse(a, r->at, "%s has no operand", py_op_name(op));
	if (op_arg_kind(op) == ARG_JUMP && is_label(rest, strlen(rest)))
		jump = label_named(r, rest);
	else if (op_arg_kind(op) == ARG_JUMP && py_op_target(op, 0, 0, 1) >= 0)
		return assembly_refuse(a, r->at, "%s needs a label", py_op_name(op));
	else if (in.has_arg && asm_operand_read(a, op, rest, r->at, &in.arg) < 0)
		return -1;
	a->code.instr = mem_grow(a->code.instr, &a->cap, (size_t)a->code.n + 1, sizeof(*a->code.instr));
	a->at = mem_grow(a->at, &a->at_cap, (size_t)a->code.n + 1, sizeof(*a->at));
	a->jump = mem_grow(a->jump, &a->jump_cap, (size_t)a->code.n + 1, sizeof(*a->jump));
	a->code.instr[a->code.n] = in;
	a->at[a->code.n] = r->at;
	a->jump[a->code.n++] = jump;
	return 0;
}

static int read_instr_line(struct reading *r, char *s)
{
	size_t n = strcspn(s, ":");

	if (s[n] == ':' && is_label(s, n)) {
		s[n] = '\0';
		if (label_here(r, s) < 0)
			return -1;
		s += n + 1;
		s += strspn(s, " \t");
	}
	if (!*s)
		return 0;
	return *s == '.' ? read_directive(r, s) : read_instr(r, s);
}

/* ---- what refers to labels -------------------------------------------------------------------------- */

static int resolve(struct assembly *a)
{
	int i;

	for (i = 0; i < a->nlabels; i++)
		if (a->label[i].index < 0)
			return assembly_refuse(a, a->label[i].at, "there is no label '%s'", a->label[i].name);
	for (i = 0; i < a->code.n; i++) {
		if (a->jump[i] < 0)
			continue;
		a->code.instr[i].target = a->label[a->jump[i]].index;
		if (a->code.instr[i].target >= a->code.n)
			return assembly_refuse(a, a->at[i], "label '%s' is after the last instruction",
					       a->label[a->jump[i]].name);
	}
	return 0;
}

/* If two ranges overlap, one is inside the other: the inner one counts. */
static int check_ranges(struct assembly *a)
{
	const struct asm_range *r, *other;
	int i, k;

	for (i = 0; i < a->nranges; i++) {
		r = &a->range[i];
		if (a->label[r->start].index >= a->label[r->end].index)
			return assembly_refuse(a, r->at, "the range ends before it begins");
		if (a->label[r->target].index >= a->code.n)
			return assembly_refuse(a, r->at, "the handler is after the last instruction");
		for (k = 0; k < i; k++) {
			int s = a->label[r->start].index, e = a->label[r->end].index, s2, e2;

			other = &a->range[k];
			s2 = a->label[other->start].index;
			e2 = a->label[other->end].index;
			if ((s < s2 && s2 < e && e < e2) || (s2 < s && s < e2 && e2 < e))
				return assembly_refuse(a, r->at,
						       "the range overlaps that of line %d: one must be "
						       "inside the other",
						       other->at);
		}
	}
	return 0;
}

/* Assign the ranges to the instructions, longer ones first, then make a row of each run of equal ones. */
static void flatten_ranges(struct assembly *a)
{
	int *row = mem_alloc(((size_t)a->code.n + 1) * sizeof(*row));
	int *by = mem_alloc(((size_t)a->nranges + 1) * sizeof(*by));
	size_t cap = 0;
	int i, k, n;

#define LENGTH(i) (a->label[a->range[i].end].index - a->label[a->range[i].start].index)
	for (i = 0; i < a->nranges; i++) {
		for (k = i; k > 0 && LENGTH(by[k - 1]) < LENGTH(i); k--)
			by[k] = by[k - 1];
		by[k] = i;
	}
#undef LENGTH
	for (i = 0; i < a->nranges; i++)
		for (k = a->label[a->range[by[i]].start].index; k < a->label[a->range[by[i]].end].index; k++)
			row[k] = by[i] + 1;
	for (i = 0; i < a->code.n; i = k) {
		for (k = i + 1; k < a->code.n && row[k] == row[i]; k++)
			;
		if (!row[i])
			continue;
		n = a->code.nexcept++;
		a->code.except = mem_grow(a->code.except, &cap, (size_t)n + 1, sizeof(*a->code.except));
		a->code.except[n] = (struct except){
			.start = i,
			.end = k,
			.target = a->label[a->range[row[i] - 1].target].index,
			.depth = a->range[row[i] - 1].depth,
			.lasti = a->range[row[i] - 1].lasti,
		};
	}
	free(by);
	free(row);
}

static int read_assembly(struct assembly *a, const char *text)
{
	struct reading r = { .a = a, .place = { .col = -1, .end_col = -1 } };
	size_t n;
	char *s;
	int ret = 0;

	for (; ret == 0 && *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (++r.at > LINES_MAX)
			return assembly_refuse(a, r.at, "the text is too long");
		s = bare_line(text, n);
		ret = read_instr_line(&r, s);
		free(s);
	}
	if (ret < 0 || resolve(a) < 0 || check_ranges(a) < 0)
		return -1;
	flatten_ranges(a);
	return 0;
}

struct py_code *asm_read(struct code *base, const char *text, struct py_obj *extra, struct err *err)
{
	struct py_code *made = NULL;
	struct assembly a;

	if (assembly_init(&a, base, (PyObject *)extra, err) < 0)
		return NULL;
	if (read_assembly(&a, text) == 0 && assembly_check(&a) == 0)
		made = assembly_emit(&a);
	assembly_release(&a);
	return made;
}
