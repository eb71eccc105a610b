/* SPDX-License-Identifier: BSD-3-Clause */
/* What each line of a compiled graph's Python code computes: see dynamo_code.h.  Reads source and
   instructions only. */
#include "code/dynamo_code.h"
#include "code/graph_codes.h"
#include "model/ints.h"
#include "model/wrapper_text.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static const char *op_at(const struct code *c, int i)
{
	return host->code.op_name(c->instr[i].op);
}

static void graph_line_reads(struct graph_line *row, int local)
{
	ints_add(&row->reads, &row->nreads, local);
}

static void graph_line_writes(struct graph_line *row, int local)
{
	ints_add(&row->writes, &row->nwrites, local);
}

/* The variables that an instruction takes and sets; from 3.13 on one may do two things.  -1: none. */
struct fast {
	int load[2], store[2];
};

static struct fast fast_of(const struct code *c, int i)
{
	const char *op = op_at(c, i), *second;
	struct fast f = { { -1, -1 }, { -1, -1 } };
	int arg = c->instr[i].arg;
	bool loads = !strncmp(op, "LOAD_FAST", 9), stores = !strncmp(op, "STORE_FAST", 10);

	if (!loads && !stores)
		return f;
	second = strstr(op + 9, "_FAST");
	if (!second) {
		*(loads ? &f.load[0] : &f.store[0]) = arg;
		return f;
	}
	*(loads ? &f.load[0] : &f.store[0]) = arg >> 4;
	*(second[-1] == 'D' ? &f.load[1] : &f.store[1]) = arg & 15;
	return f;
}

/* "next(args_iter)" and "iter(args_list)" only take an input. */
static bool takes_input(struct code *c, int i)
{
	struct buf arg = { 0 };
	bool yes;

	if (strncmp(op_at(c, i), "LOAD_GLOBAL", 11))
		return false;
	host->code.arg_text(c, i, &arg);
	yes = arg.s && (strstr(arg.s, "next") || strstr(arg.s, "iter")) && !strchr(arg.s, '_');
	buf_release(&arg);
	return yes;
}

/* The name of the global that an instruction loads, in `arg`, without "NULL + " before it; NULL: it loads none. */
static const char *global_at(struct code *c, int i, struct buf *arg)
{
	const char *name;

	if (strcmp(op_at(c, i), "LOAD_GLOBAL"))
		return NULL;
	host->code.arg_text(c, i, arg);
	name = strrchr(buf_str(arg), ' ');
	return name ? name + 1 : buf_str(arg);
}

/* FX names these constants so. */
static void read_constant(struct code *c, int i, struct graph_line *row)
{
	struct buf arg = { 0 };
	const char *name = global_at(c, i, &arg);

	row->inf |= name && !strcmp(name, "inf");
	row->nan |= name && !strcmp(name, "nan");
	buf_release(&arg);
}

/* FX names a function that is not torch's own by its module, as in "__main___f", and print() as it is. */
static bool is_foreign(struct code *c, int i)
{
	struct buf arg = { 0 };
	const char *name = global_at(c, i, &arg);
	bool foreign = name && strcmp(name, "torch") && strcmp(name, "device") && strcmp(name, "inf") &&
		       strcmp(name, "nan");

	buf_release(&arg);
	return foreign;
}

/* An attribute of torch, of its operators or of a tensor: functions that leave what they allocate unwritten. */
static void read_attribute(struct code *c, int i, struct graph_line *row)
{
	static const char *const names[] = { "empty",	       "empty_like", "empty_strided",
					     "empty_permuted", "new_empty",  "new_empty_strided" };
	struct buf arg = { 0 };
	char *word, *rest = NULL;
	size_t k;

	if (strcmp(op_at(c, i), "LOAD_ATTR") && strcmp(op_at(c, i), "LOAD_METHOD"))
		return;
	host->code.arg_text(c, i, &arg);
	for (word = strtok_r(arg.s, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		for (k = 0; k < sizeof(names) / sizeof(*names); k++)
			row->unset |= !strcmp(word, names[k]);
	buf_release(&arg);
}

/* add_, index_put_, _foreach_add_; not __add__. */
static bool is_name_in_place(const char *name)
{
	size_t n = strlen(name);

	return n > 1 && strncmp(name, "__", 2) && name[n - 1] == '_' && name[n - 2] != '_';
}

/* How an instruction shows that its line changes a tensor in place, and which of the variables it is. */
enum { IN_PLACE_NOT, IN_PLACE_SOME, IN_PLACE_FIRST, IN_PLACE_LAST, IN_PLACE_OUT, IN_PLACE_STORED };

static int in_place(struct code *c, int i)
{
	const char *op = op_at(c, i);
	struct buf arg = { 0 };
	char *word, *rest = NULL;
	int how = IN_PLACE_NOT;

	if (!strcmp(op, "STORE_SUBSCR") || !strcmp(op, "STORE_SLICE")) /* "x[0] = 1;  setitem = x" */
		return IN_PLACE_LAST;
	host->code.arg_text(c, i, &arg);
	if (!strcmp(op, "BINARY_OP") && arg.len && arg.s[arg.len - 1] == '=') /* "x += 1;  x_1 = x" */
		how = IN_PLACE_STORED;
	else if ((!strcmp(op, "KW_NAMES") || !strcmp(op, "LOAD_CONST")) && strstr(buf_str(&arg), "'out'"))
		how = IN_PLACE_OUT;
	else if (!strcmp(op, "LOAD_ATTR") || !strcmp(op, "LOAD_METHOD"))
		for (word = strtok_r(arg.s, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			if (is_name_in_place(word))
				how = *word == '_' ? IN_PLACE_SOME : IN_PLACE_FIRST; /* _foreach_add_() takes lists */
	buf_release(&arg);
	return how;
}

/* "x += 1;  x_1 = x": the line has been read up to the first store, before i; the node is x_1. */
static void read_second_name(const struct code *c, struct graph_line *row, int i, int end)
{
	int stored = row->writes[0];
	struct fast f = fast_of(c, i - 1);

	row->changed = stored;
	if (f.load[1] != stored) {
		if (i >= end || fast_of(c, i++).load[0] != stored)
			return;
	}
	if (i < end && fast_of(c, i).store[0] >= 0)
		row->writes[0] = fast_of(c, i).store[0];
}

static bool is_filler(const struct code *c, int i)
{
	const char *op = op_at(c, i);

	return !strcmp(op, "RESUME") || !strcmp(op, "CACHE") || !strcmp(op, "EXTENDED_ARG") || !strcmp(op, "NOP");
}

/* A line of FX's forward, told from its instructions: its source is only known to linecache, which a hook cannot
   ask. */
static void read_forward(struct code *c, const struct graph_lines *l, struct graph_line *row, int end)
{
	bool plain = true, first = true, input = false, returns = false;
	int i, n = 0, how = IN_PLACE_NOT, loaded[2] = { -1, -1 }; /* the first and the last one */
	struct fast f;

	for (i = row->index; i < end; i++)
		row->foreign |= is_foreign(c, i);
	for (i = row->index; i < end && !row->nwrites; i++) {
		if (is_filler(c, i))
			continue;
		f = fast_of(c, i);
		if (first)
			input = takes_input(c, i);
		else
			read_constant(c, i, row);
		read_attribute(c, i, row);
		how = how ? how : in_place(c, i);
		first = false;
		n++;
		returns |= !!(c->instr[i].flags & INSTR_RETURN);
		if (f.load[0] >= 0)
			graph_line_reads(row, f.load[0]);
		if (f.load[1] >= 0 && f.store[0] < 0)
			graph_line_reads(row, f.load[1]);
		if (f.load[0] >= 0) {
			loaded[0] = loaded[0] < 0 ? f.load[0] : loaded[0];
			loaded[1] = f.load[1] >= 0 ? f.load[1] : f.load[0];
		}
		if (f.store[0] >= 0)
			graph_line_writes(row, f.store[0]);
		else
			plain &= !strncmp(op_at(c, i), "LOAD_FAST", 9) || !strncmp(op_at(c, i), "LOAD_ATTR", 9);
	}
	row->in_place = how != IN_PLACE_NOT;
	row->overwrites = how == IN_PLACE_OUT;
	row->changed = how == IN_PLACE_FIRST ? loaded[0] : how == IN_PLACE_LAST || row->overwrites ? loaded[1] : -1;
	if (how == IN_PLACE_STORED && row->nwrites)
		read_second_name(c, row, i, end);
	for (; i < end; i++) {
		f = fast_of(c, i);
		row->unused |= row->nwrites && (f.store[0] == row->writes[0] || f.store[1] == row->writes[0]);
		row->drops |= row->changed >= 0 && (f.store[0] == row->changed || f.store[1] == row->changed);
		returns |= !!(c->instr[i].flags & INSTR_RETURN);
	}
	if (returns && !row->nwrites) {
		row->node = mem_str("output");
		return;
	}
	row->input = row->nwrites && (input || plain);
	row->memory = row->nwrites && plain && n == 2; /* x = y */
	if (row->nwrites && !input && !row->memory)
		row->node = mem_str(graph_codes_local(l, row->writes[0]));
}

/* The variables that a line of inductor's call mentions, in the order of its instructions. */
static void read_variables(struct code *c, struct graph_line *row, int end)
{
	struct fast f;
	int i;

	for (i = row->index; i < end; i++) {
		f = fast_of(c, i);
		if (f.store[0] >= 0)
			break;
		if (f.load[0] >= 0)
			graph_line_reads(row, f.load[0]);
		if (f.load[1] >= 0)
			graph_line_reads(row, f.load[1]);
	}
}

static void writes_piece(const struct graph_lines *l, struct graph_line *row, struct piece name)
{
	Py_ssize_t i, count = PyTuple_GET_SIZE(l->co->co_localsplusnames);

	for (i = 0; name.n && i < count; i++)
		if (piece_is(name, graph_codes_local(l, (int)i)))
			graph_line_writes(row, (int)i);
}

/* What a statement of inductor's call computes and writes. */
static void read_call_line(const struct wrapper_text *w, const struct graph_lines *l, struct graph_line *row)
{
	const struct wrapper_statement *s = wrapper_text_at(w, row->line);
	struct piece name;
	int i;

	if (!s)
		return;
	row->subgraph = s->kind == WRAPPER_SUBGRAPH;
	row->memory = s->kind == WRAPPER_MEMORY;
	row->kernel = s->kind == WRAPPER_CALL;
	for (i = 0; i < s->nwrites; i++)
		writes_piece(l, row, s->write[i]);
	name = row->subgraph ? s->called : s->out.n ? s->out : s->target.n ? s->target : s->called;
	if (name.n && !row->memory)
		row->node = mem_strn(name.s, name.n);
	if (row->kernel && (s->out.n || s->target.n))
		row->called = mem_strn(s->called.s, s->called.n);
}

static void add_source(const char *file, struct buf *text)
{
	const char *s;
	int line;

	for (line = 1; file && (s = host->files.line(file, line)); line++)
		buf_addf(text, "%s\n", s);
}

void graph_code_read(struct code *c, struct graph_lines *l)
{
	struct buf text = { 0 };
	struct wrapper_text *w;
	struct graph_line *row;
	int i, end, line;

	if (l->call)
		add_source(py_text_utf8(l->co->co_filename), &text);
	w = wrapper_text_read(buf_str(&text));
	for (i = 0; i < c->n; i = end) {
		line = c->instr[i].line;
		for (end = i + 1; end < c->n && c->instr[end].line == line; end++)
			;
		if (line <= 0 || !strcmp(op_at(c, i), "RESUME") || (l->n && l->at[l->n - 1].line >= line))
			continue;
		l->at = mem_grow(l->at, &l->cap, (size_t)l->n + 1, sizeof(*l->at));
		row = &l->at[l->n++];
		memset(row, 0, sizeof(*row));
		row->line = line;
		row->index = i;
		if (l->call) {
			row->foreign = true;
			read_variables(c, row, end);
			read_call_line(w, l, row);
		} else
			read_forward(c, l, row, end);
	}
	wrapper_text_free(w);
	buf_release(&text);
}
