/* SPDX-License-Identifier: BSD-3-Clause */
/* Which line of the decompiled source an instruction belongs to: see python_lines.h.  Knows no view and no step. */
#include "engine/python_lines.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "py/interp/lookup.h"
#include "py/py.h"

/* ---- what plugins report about the code ---------------------------------------------------------- */

static bool is_steady(void *arg, struct code *c, const char *name)
{
	return plug_steady(arg, c, name) > 0;
}

static const char *folded_into(void *arg, struct code *c, int index)
{
	return plug_boilerplate(arg, c, index);
}

static void keep_first_found(void *arg, struct py_code *co)
{
	struct py_code **found = arg;

	if (!*found)
		*found = co;
}

static const char *argument_name(void *arg, struct code *c, const char *function, int k)
{
	struct py_code *co = NULL;

	(void)c;
	plug_by_name(arg, function, keep_first_found, &co);
	return co && k < code_nlocals(code_get(co)) ? code_local_name(code_get(co), k) : NULL;
}

static int shown_bytes(void *arg, const char *name)
{
	return plug_name_length(arg, name);
}

static const char *reads_as(void *arg, const char *name)
{
	return plug_reads_as(arg, name);
}

static bool stores_itself(void *arg, struct code *c, const char *cls, const char *attribute)
{
	char *by;
	const bool itself = lookup_stores(code_file(c), cls, attribute, &by);
	const char *form = by ? plug_reads_as(arg, by) : NULL;
	const bool assigns = form && !strcmp(form, "$1.$2 = $3");

	free(by);
	return itself && !assigns;
}

static const char *guarded_class(void *arg, struct code *c, const char *object)
{
	return plug_class_of(arg, c, object);
}

/* dis puts "NULL + " before a global that is called. */
static const char *global_name(const char *text)
{
	static const char null[] = "NULL + ";

	return text + (strncmp(text, null, sizeof(null) - 1) ? 0 : sizeof(null) - 1);
}

/* A bytecode hook of Dynamo gets generated code before Dynamo's cache does, and without a session nobody notes what
   is in the cache; but only such code loads the globals that its compiler makes. */
static bool loads_steady(struct session *s, struct code *c)
{
	struct buf name = { 0 };
	bool yes = false;
	int i;

	code_decode(c);
	for (i = 0; i < c->n && !yes; i++) {
		if (strncmp(py_op_name(c->instr[i].op), "LOAD_GLOBAL", 11))
			continue;
		name.len = 0;
		code_arg_text(c, i, &name);
		yes = name.len && plug_steady(s, c, global_name(name.s)) > 0;
	}
	buf_release(&name);
	return yes;
}

static bool is_generated(struct session *s, struct code *c)
{
	struct code_info info = { 0 };

	return (plug_code(s, c->co, &info) > 0 && info.kind == KIND_GENERATED) || loads_steady(s, c);
}

struct dec_source *python_lines_source(struct session *s, struct code *c, struct py_obj *function, bool whole)
{
	const struct dec_style style = { .arg = s,
					 .whole = whole,
					 .function = function,
					 .reads_as = is_generated(s, c) ? reads_as : NULL,
					 .steady = is_steady,
					 .stores = stores_itself,
					 .class_of = guarded_class,
					 .folded = folded_into,
					 .argument = argument_name,
					 .shown = shown_bytes };

	return decompile(c, &style);
}

/* ---- lines --------------------------------------------------------------------------------------- */

struct by_end {
	int line, to;
};

static int compare_ends(const void *a, const void *b)
{
	const struct by_end *x = a, *y = b;

	return x->to != y->to ? (x->to < y->to ? -1 : 1) : x->line - y->line;
}

int *python_line_table(const struct dec_source *d, struct code *c)
{
	struct by_end *order = mem_alloc((size_t)(d->n + 1) * sizeof(*order));
	int *line = mem_alloc((size_t)(c->n + 1) * sizeof(*line)),
	    *begins = mem_alloc((size_t)(c->n + 2) * sizeof(int));
	int n = 0, i, k = 0, next, within = 0;

	for (i = 0; i < d->n; i++) {
		if (d->line[i].from < 0 || d->line[i].to >= c->n)
			continue;
		order[n++] = (struct by_end){ i, d->line[i].to };
		begins[d->line[i].from]++;
		begins[d->line[i].to + 1]--;
	}
	qsort(order, (size_t)n, sizeof(*order), compare_ends);
	for (i = 0; i < c->n; i++) {
		within += begins[i];
		while (k < n && order[k].to < i)
			k++;
		for (next = k; next < n && d->line[order[next].line].folded && d->line[order[next].line].from > i;)
			next++; /* nobody steps to it, so it does not take what comes before it */
		line[i] = within > 0 && next < n ? order[next].line + 1 : 0;
	}
	for (i = 0; d->same && i < c->n; i++)
		line[i] = line[d->same[i]];
	free(order);
	free(begins);
	return line;
}

int python_line_shown(const struct dec_source *d, struct code *c, int index)
{
	int *line = python_line_table(d, c), most = c->n, found = 0;

	while (index >= 0 && index < c->n && !(found = line[index]) && most--)
		index = py_op_ends(c->instr[index].op) ? c->instr[index].target : index + 1;
	free(line);
	return found;
}

int python_line_statement(const struct dec_source *d, int line)
{
	while (line > 1 && line <= d->n && d->line[line - 1].wrapped)
		line--;
	return line;
}

int python_line_begin(const struct dec_source *d, struct code *c, int line)
{
	int *table = python_line_table(d, c), i;

	line = python_line_statement(d, line);
	for (i = 0; i < c->n && table[i] != line; i++)
		;
	free(table);
	return i < c->n ? i : -1;
}

int python_line_copy(const struct dec_source *d, struct code *c, int index)
{
	int i;

	for (i = index + 1; d->same && i < c->n; i++)
		if (d->same[i] == d->same[index])
			return i;
	return -1;
}

/* ---- the text of the code that was asked about last ---------------------------------------------- */

static struct {
	struct py_code *co; /* owned */
	struct dec_source *source;
	int *line, n; /* by instruction */
} kept;

void python_lines_release(void)
{
	py_unref_later(kept.co);
	dec_source_free(kept.source);
	free(kept.line);
	memset(&kept, 0, sizeof(kept));
}

static bool keep_lines(struct session *s, struct code *c)
{
	if (kept.co == c->co)
		return true;
	python_lines_release();
	code_decode(c);
	kept.source = python_lines_source(s, c, NULL, false);
	if (!kept.source)
		return false;
	kept.co = py_ref(c->co);
	kept.line = python_line_table(kept.source, c);
	kept.n = c->n;
	return true;
}

int python_line(struct session *s, struct code *c, int index)
{
	int line = keep_lines(s, c) && index >= 0 && index < kept.n ? kept.line[index] : 0;

	return line && kept.source->line[line - 1].folded ? 0 : line;
}

char *python_line_text(struct session *s, struct code *c, int line)
{
	struct buf out = { 0 };
	const char *text;
	int i;

	if (line < 1 || !keep_lines(s, c) || line > kept.source->n)
		return NULL;
	for (i = 1, text = kept.source->text; i < line; i++)
		text += strcspn(text, "\n") + 1;
	buf_add(&out, text, strcspn(text, "\n"));
	for (; i < kept.source->n && kept.source->line[i].wrapped; i++) {
		text += strcspn(text, "\n") + 1;
		text += strspn(text, " ");
		buf_addc(&out, ' ');
		buf_add(&out, text, strcspn(text, "\n"));
	}
	return buf_detach(&out);
}
