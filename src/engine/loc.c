/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations as typed: parsed, and written out again.  Knows no breakpoint; loc_resolve.c resolves them. */
#include "engine/loc.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/visible.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/session.h"
#include "engine/source.h"
#include "engine/stack.h"

static struct loc *loc_new(enum loc_type type, const char *text)
{
	struct loc *l = mem_alloc(sizeof(*l));

	l->type = type;
	l->text = mem_str(text);
	return l;
}

void loc_free(struct loc *l)
{
	int i;

	if (!l)
		return;
	for (i = 0; i < l->ncodes; i++)
		py_unref_later(l->codes[i]);
	free(l->codes);
	for (i = 0; i < l->ngiven; i++)
		py_unref_later(l->given[i]);
	free(l->given);
	py_unref_later(l->code);
	free(l->text);
	free(l->file);
	free(l->func);
	free(l->word);
	free(l);
}

void loc_follow(struct loc *l, struct py_code *old, struct py_code *now)
{
	size_t cap = (size_t)l->ngiven;
	int i;

	for (i = 0; i < l->ngiven && l->given[i] != old; i++)
		if (l->given[i] == now)
			return;
	if (i == l->ngiven) {
		l->given = mem_grow(l->given, &cap, cap + 1, sizeof(*l->given));
		l->given[l->ngiven++] = NULL;
	}
	py_unref_later(l->given[i]);
	l->given[i] = py_ref(now);
}

/* The value of text if all of it is a decimal or 0x number, else -1. */
static long whole_number(const char *text)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)*text))
		return -1;
	n = strtol(text, &end, 0);
	if (*end && !strncmp(text, "0", 1)) /* 010 is ten, not octal */
		n = strtol(text, &end, 10);
	return *end || n < 0 || n > INT_MAX ? -1 : n;
}

static bool is_entry(const char *text)
{
	const char *p = text;

	while (isdigit((unsigned char)*p))
		p++;
	return p > text && *p == '/' && isdigit((unsigned char)p[1]);
}

static void keep_code(void *arg, struct py_code *co)
{
	struct loc *l = arg;

	l->codes = realloc(l->codes, (l->ncodes + 1) * sizeof(*l->codes));
	if (!l->codes)
		BUG("no memory for %d code objects", l->ncodes);
	l->codes[l->ncodes++] = py_ref(co);
}

static void ignore_code(void *arg, struct py_code *co)
{
	(void)arg;
	(void)co;
}

/* Takes func.  An expression is evaluated once, here.  A name is resolved again each time new code appears. */
static int set_func(struct session *s, struct loc *l, char *func, struct err *err)
{
	struct py_code *co;

	l->func = func;
	if (is_entry(func)) {
		if (plug_entry(s, func, &co, err) > 0)
			return 0;
		return err_set(err, "no entry '%s': 'info compiled' lists them", func);
	}
	if (loc_named(s, func, ignore_code, NULL))
		return 0;
	return loc_functions(s, func, keep_code, l, err) < 0 ? -1 : 0;
}

/* The selected frame's own code, for locations that name none. */
static int set_frame_code(struct session *s, struct loc *l, struct err *err)
{
	struct frame *f = session_frame(s, err);

	if (!f)
		return -1;
	if (!f->code)
		return err_set(err, "the selected frame has no instructions: it is being compiled");
	l->code = py_ref(f->code->co);
	return 0;
}

static struct loc *parse_here(struct session *s, const char *text, struct err *err)
{
	struct frame *f = session_frame(s, err);
	struct loc *l;

	if (!f)
		return NULL;
	if (f->kind == KIND_GENERATED || (f->line <= 0 && f->code)) {
		l = loc_new(LOC_OFFSET, text);
		l->code = py_ref(f->code->co);
		code_decode(f->code);
		l->number = f->index >= 0 ? f->code->instr[f->index].offset : 0;
		return l;
	}
	l = loc_new(LOC_LINE, text);
	l->file = mem_str(f->file);
	l->line = f->line;
	return l;
}

/* While the program runs, the file of the innermost frame that steps may stop in: owned by the caller.  NULL with
   err. */
static char *running_file(struct session *s, const char *text, struct err *err)
{
	bool relative = *text == '+' || *text == '-';
	struct py_frame *f = s->exited || relative ? NULL : frame_top(), *outer;
	char *file = NULL;

	if (f && !stack_shown(s, frame_code(f))) {
		outer = stack_outer(s, f);
		py_unref(f);
		f = outer;
	}
	if (f)
		file = mem_str(code_file(frame_code(f)));
	else
		session_frame(s, err);
	py_unref(f);
	return file;
}

/* file NULL: the one that 'list' shows, which for a frame of a graph is the program's. */
static struct loc *parse_line(struct session *s, const char *text, const char *file, long line, struct err *err)
{
	struct loc *l;
	struct frame *f = NULL;
	char *running = NULL;
	int shown;

	if (!file && !session_stopped(s)) {
		file = running = running_file(s, text, err);
		if (!file)
			return NULL;
	}
	if (!file) {
		f = session_frame(s, err);
		if (!f)
			return NULL;
		file = stack_source(f, &shown);
	}
	if (f && (*text == '+' || *text == '-'))
		line += shown;
	if (line <= 0) {
		err_set(err, "invalid line %ld: expected 1 or more", line);
		free(running);
		return NULL;
	}
	l = loc_new(LOC_LINE, text);
	l->file = running ? running : mem_str(file);
	l->line = (int)line;
	return l;
}

static const char python_mark[] = "python:"; /* FUNC@python:LINE */

static int set_python_line(struct loc *l, const char *text, struct err *err)
{
	l->type = LOC_PYTHON;
	l->number = (int)whole_number(text);
	return l->number > 0 ? 0 : err_set(err, "invalid line '%s' of decompiled source: expected 1 or more", text);
}

/* FUNC followed by `*OFFSET`, `#INDEX`, `@REGION` or `@python:LINE`; without FUNC, in the selected frame's code. */
static struct loc *parse_marked(struct session *s, const char *text, const char *mark, struct err *err)
{
	static const enum loc_type types[] = { LOC_OFFSET, LOC_INDEX, LOC_REGION };
	struct loc *l = loc_new(types[strchr("*#@", *mark) - "*#@"], text);

	if (l->type != LOC_REGION)
		l->number = (int)whole_number(mark + 1);
	else if (!strncmp(mark + 1, python_mark, strlen(python_mark))) {
		if (set_python_line(l, mark + 1 + strlen(python_mark), err) < 0)
			goto fail;
	} else if (region_find(mark + 1, &l->region, err) < 0)
		goto fail;
	if (mark == text ? set_frame_code(s, l, err) < 0 :
			   set_func(s, l, mem_strn(text, (size_t)(mark - text)), err) < 0)
		goto fail;
	return l;
fail:
	loc_free(l);
	return NULL;
}

static struct loc *parse_opcode(const char *text, const char *name, struct err *err)
{
	struct loc *l;
	size_t i, n = strlen(name);
	char *upper = mem_str(name);
	const char *found = NULL, *op;
	int code, hits = 0;

	for (i = 0; i < n; i++)
		upper[i] = (char)toupper((unsigned char)upper[i]);
	for (code = 0; code < 256 && n; code++) {
		op = py_op_name(code);
		if (op[0] == '<' || strncmp(op, upper, n))
			continue;
		found = op;
		hits++;
		if (!op[n]) {
			hits = 1;
			break;
		}
	}
	free(upper);
	if (hits != 1) {
		err_set(err,
			hits ? "ambiguous opcode '%s': it is the prefix of more than one" :
			       "unknown opcode '%s' in this Python; 'disassemble FUNC' shows those of a function",
			name);
		return NULL;
	}
	l = loc_new(LOC_OPCODE, text);
	l->word = mem_str(found);
	return l;
}

static struct loc *parse_node(const char *text, const char *pattern, struct err *err)
{
	struct loc *l;

	if (!*pattern) {
		err_set(err, "missing node name after 'node:'; expected a name (node:add) or a pattern (node:add*)");
		return NULL;
	}
	l = loc_new(LOC_NODE, text);
	l->word = mem_str(pattern);
	return l;
}

/* The last `*`, `#` or `@` that is followed by a number or a name; an expression may contain others. */
static const char *find_mark(const char *text)
{
	const char *p = text + strlen(text);

	while (p-- > text) {
		if ((*p == '*' || *p == '#') && whole_number(p + 1) >= 0)
			return p;
		if (*p == '@' && isalpha((unsigned char)p[1]))
			return p;
	}
	return NULL;
}

/* Is this the file of FILE:LINE or FILE:FUNC, or a piece of an expression? */
static bool names_file(struct session *s, const char *text)
{
	size_t n = strlen(text);

	return (n > 3 && !strcmp(text + n - 3, ".py")) || strchr(text, '/') || text[0] == '<' || source_find(s, text);
}

static struct loc *parse_file(struct session *s, const char *text, const char *colon, struct err *err)
{
	char *file = mem_strn(text, (size_t)(colon - text));
	long line = whole_number(colon + 1);
	struct loc *l = NULL;

	if (line >= 0) {
		l = parse_line(s, text, file, line, err);
	} else if (strpbrk(colon + 1, " \t")) {
		err_set(err, "'%s' is not a line number or a function in '%s'", colon + 1, file);
	} else {
		l = loc_new(LOC_FUNC, text);
		l->func = mem_str(text);
	}
	free(file);
	return l;
}

static struct loc *parse(struct session *s, const char *text, struct err *err)
{
	const char *colon = strrchr(text, ':'), *mark;
	struct loc *l;
	char *file;
	bool yes;

	if (!*text || !strcmp(text, "."))
		return parse_here(s, text, err);
	if (!strncmp(text, "opcode:", 7))
		return parse_opcode(text, text + 7, err);
	if (!strncmp(text, "node:", 5))
		return parse_node(text, text + 5, err);
	if (whole_number(text) >= 0)
		return parse_line(s, text, NULL, whole_number(text), err);
	if ((*text == '+' || *text == '-') && whole_number(text + 1) >= 0)
		return parse_line(s, text, NULL, *text == '-' ? -whole_number(text + 1) : whole_number(text + 1), err);
	mark = find_mark(text);
	if (mark)
		return parse_marked(s, text, mark, err);
	if (colon && colon > text) {
		file = mem_strn(text, (size_t)(colon - text));
		yes = whole_number(colon + 1) >= 0 || names_file(s, file);
		free(file);
		if (yes)
			return parse_file(s, text, colon, err);
	}
	if (strchr("*#@", *text)) {
		err_set(err, "invalid location '%s': expected *OFFSET, #INDEX or @REGION", text);
		return NULL;
	}
	l = loc_new(LOC_FUNC, text);
	if (set_func(s, l, mem_str(text), err) < 0) {
		loc_free(l);
		return NULL;
	}
	return l;
}

struct loc *loc_parse(struct session *s, const char *text, struct err *err)
{
	size_t n;
	char *trimmed;
	struct loc *l;

	while (isspace((unsigned char)*text))
		text++;
	n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	trimmed = mem_strn(text, n);
	l = parse(s, trimmed, err);
	free(trimmed);
	return l;
}

/* A text that finds this code in another run: its entry, or its file and qualified name. */
static void code_text(struct session *s, struct py_code *co, struct buf *out)
{
	struct code *c = code_get(co);
	struct code_info info;

	if (plug_code(s, co, &info) && info.entry)
		buf_adds(out, info.entry);
	else
		buf_addf(out, "%s:%s", visible(code_file(c)), code_qualname(c));
}

struct loc *loc_code(struct session *s, struct py_code *co)
{
	struct buf text = { 0 };
	struct loc *l;

	code_text(s, co, &text);
	l = loc_new(LOC_FUNC, text.s);
	l->func = buf_detach(&text);
	keep_code(l, co);
	return l;
}

struct loc *loc_recorded(const char *text)
{
	struct loc *l = loc_new(LOC_FUNC, text);

	l->func = mem_str(text);
	return l;
}

struct loc *loc_instruction(struct session *s, struct code *c, int offset)
{
	struct buf text = { 0 };
	struct loc *l;

	code_text(s, c->co, &text);
	buf_addf(&text, "*%d", offset);
	l = loc_new(LOC_OFFSET, text.s);
	l->code = py_ref(c->co);
	l->number = offset;
	buf_release(&text);
	return l;
}

bool loc_is_code(const struct loc *l, const struct py_code *co)
{
	return l && l->type == LOC_FUNC && l->ncodes == 1 && l->codes[0] == co;
}

void loc_script(struct session *s, const struct loc *l, struct buf *out)
{
	switch (l->type) {
	case LOC_LINE:
		buf_addf(out, "%s:%d", visible(l->file), l->line);
		return;
	case LOC_OPCODE:
		buf_addf(out, "opcode:%s", l->word);
		return;
	case LOC_NODE:
		buf_addf(out, "node:%s", l->word);
		return;
	default:
		break;
	}
	if (l->func && !l->ncodes)
		buf_adds(out, l->func);
	else
		code_text(s, l->func ? l->codes[0] : l->code, out);
	if (l->type == LOC_OFFSET)
		buf_addf(out, "*%d", l->number);
	else if (l->type == LOC_INDEX)
		buf_addf(out, "#%d", l->number);
	else if (l->type == LOC_REGION)
		buf_addf(out, "@%s", region_name(l->region));
	else if (l->type == LOC_PYTHON)
		buf_addf(out, "@%s%d", python_mark, l->number);
}

int loc_func_text(struct session *s, const char *func, struct buf *out, struct err *err)
{
	struct loc l = { .type = LOC_FUNC };
	struct err unknown;
	int i, rc;

	if (loc_named(s, func, ignore_code, NULL) || is_entry(func)) {
		buf_adds(out, func);
		return 0;
	}
	rc = loc_functions(s, func, keep_code, &l, &unknown);
	if (l.ncodes)
		code_text(s, l.codes[0], out);
	else if (rc >= 0)
		buf_adds(out, func); /* the name may be defined later */
	else
		err_set(err, "%s", unknown.text);
	for (i = 0; i < l.ncodes; i++)
		py_unref(l.codes[i]);
	free(l.codes);
	return rc < 0 ? -1 : 0;
}
