/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the code that inductor writes: see wrapper_text.h. */
#include "model/wrapper_text.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_DEEP = 8 };
static const char definition[] = " = async_compile.";

bool piece_is(struct piece p, const char *text)
{
	return p.n && strlen(text) == p.n && !strncmp(p.s, text, p.n);
}

/* The identifier at s. */
static struct piece name_at(const char *s)
{
	return (struct piece){ s, isdigit((unsigned char)*s) ? 0 : py_text_word(s) };
}

static bool is_same(struct piece a, struct piece b)
{
	return a.n == b.n && !strncmp(a.s, b.s, a.n);
}

/* Does the text at s, which ends at end, begin so? */
static bool begins(const char *s, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - s) >= n && !strncmp(s, with, n);
}

static const char *found_in(const char *s, const char *end, const char *what)
{
	return memmem(s, (size_t)(end - s), what, strlen(what));
}

/* The end of the item at s: the comma after it, or the bracket that closes the list. */
static const char *item_end(const char *s, const char *end)
{
	int depth = 0;

	for (; s < end && (depth || !strchr(",)]", *s)); s++)
		depth += strchr("([{", *s) ? 1 : strchr(")]}", *s) ? -1 : 0;
	return s;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void add_argument(struct wrapper_kernel *k, size_t *cap, bool written)
{
	k->written = mem_grow(k->written, cap, (size_t)k->nargs + 1, sizeof(*k->written));
	k->written[k->nargs++] = written;
}

/* ['const float*', 'float*', 'int64_t']: pointers that are not const are written. */
static void read_types(struct wrapper_kernel *k, const char *s, const char *end)
{
	size_t n, cap = 0;

	k->nargs = 0;
	while (s < end && *s != ']') {
		s += strcspn(s, "'\"]\n");
		if (s >= end || (*s != '\'' && *s != '"'))
			return;
		n = strcspn(s + 1, "'\"\n");
		add_argument(k, &cap, memchr(s + 1, '*', n) && !py_text_begins_with(s + 1, "const"));
		s += 1 + n + (s[1 + n] == '\'' || s[1 + n] == '"');
	}
}

/* def NAME(in_ptr0, out_ptr0, in_out_ptr0, xnumel : tl.constexpr): by their names. */
static void read_parameters(struct wrapper_kernel *k)
{
	const char *s = k->source.s ? k->source.s : "", *end = s + k->source.n, *next;
	size_t cap = 0;

	while (s < end && !py_text_begins_with(s, "def "))
		s = (next = memchr(s, '\n', (size_t)(end - s))) ? next + 1 : end;
	s = s < end ? memchr(s, '(', (size_t)(end - s)) : NULL;
	if (!s)
		return;
	k->nargs = 0;
	for (s++; s < end && *s != ')'; s = next + (next < end && *next != ')')) {
		next = item_end(s, end);
		add_argument(k, &cap, found_in(s, next, "out_ptr") != NULL);
	}
}

/* A definition, whose source is in the first pair of three quotes that begins on its line.  Returns the end of its last
   line. */
static const char *read_kernel(struct wrapper_text *w, const char *s, struct piece name, int line, struct piece nodes)
{
	struct wrapper_kernel k = { .name = name, .line = line, .nargs = -1, .nodes = nodes };
	const char *how = s + name.n + sizeof(definition) - 1, *end = s + strcspn(s, "\n"), *close, *types;

	k.language = begins(how, end, "triton") ? "triton" : begins(how, end, "cpp") ? "c++" : "python";
	types = begins(how, end, "cpp") ? memchr(how, '[', (size_t)(end - how)) : NULL;
	if (types)
		read_types(&k, types + 1, end);
	k.source.s = found_in(how, end, "'''");
	close = k.source.s ? strstr(k.source.s + 3, "'''") : NULL;
	if (close) {
		k.source.s += 3 + (k.source.s[3] == '\n');
		k.source.n = close > k.source.s ? (size_t)(close - k.source.s) : 0;
		end = close + strcspn(close, "\n");
	}
	if (*k.language == 't')
		read_parameters(&k);
	k.whole = (struct piece){ s, (size_t)(end - s) + (*end == '\n') };
	w->kernel = mem_grow(w->kernel, &w->kernels_cap, (size_t)w->nkernels + 1, sizeof(*w->kernel));
	w->kernel[w->nkernels++] = k;
	return end;
}

const struct wrapper_kernel *wrapper_text_kernel(const struct wrapper_text *w, const char *name, size_t n)
{
	int i;

	for (i = w->nkernels - 1; i >= 0; i--)
		if (is_same(w->kernel[i].name, (struct piece){ name, n }))
			return &w->kernel[i];
	return NULL;
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void add_write(struct wrapper_statement *st, struct piece name)
{
	size_t cap = (size_t)st->nwrites;

	if (!name.n)
		return;
	st->write = mem_grow(st->write, &cap, cap + 1, sizeof(*st->write));
	st->write[st->nwrites++] = name;
}

/* "KERNEL(buf0, arg0_1, 16L)": the variables that it gives where the kernel writes; s: after the bracket. */
static void read_kernel_writes(struct wrapper_statement *st, const char *s, const char *end)
{
	const char *next;
	struct piece name;
	int i;

	for (i = 0; s < end && *s != ')' && i < st->kernel->nargs; i++) {
		s += strspn(s, " ");
		next = item_end(s, end);
		name = name_at(s);
		if (st->kernel->written[i] && name.s + name.n == next)
			add_write(st, name);
		s = next + (next < end && *next != ')');
	}
}

/* A call at s, up to the bracket at paren. */
static void read_call(const struct wrapper_text *w, struct wrapper_statement *st, const char *s, const char *paren,
		      const char *end)
{
	const char *out = found_in(paren, end, " out="), *part;
	struct piece name = name_at(paren + 1);

	st->called = (struct piece){ s, (size_t)(paren - s) };
	if (st->called.n > 4 && !strncmp(paren - 4, ".run", 4))
		st->called.n -= 4;
	st->kernel = wrapper_text_kernel(w, st->called.s, st->called.n);
	if (out)
		st->out = name_at(out + 5);
	else if (st->kernel)
		read_kernel_writes(st, paren + 1, end);
	add_write(st, st->out);
	for (part = s; part < paren; part++)
		if (*part == '_' && (part[1] == '.' || part[1] == '('))
			st->in_place = name;
	if (name.s + name.n != item_end(paren + 1, end))
		st->in_place.n = 0;
}

/* "true_graph_0(true_graph_0_args)" */
static bool calls_subgraph(const char *s)
{
	size_t n = name_at(s).n;

	return n && s[n] == '(' && !strncmp(s + n + 1, s, n) && py_text_begins_with(s + n + 1 + n, "_args)");
}

/* "(buf0[0], buf0[1]) = while_loop_body_graph_0(args)" */
static bool read_several(struct wrapper_statement *st, const char *s, const char *end)
{
	const char *close = *s == '(' ? found_in(s, end, ") = ") : NULL;
	struct piece called = close ? name_at(close + 4) : (struct piece){ 0 };

	if (!called.n || called.s[called.n] != '(')
		return false;
	st->kind = WRAPPER_SUBGRAPH;
	st->called = called;
	while (s < close) {
		s += 1 + strspn(s + 1, " ");
		add_write(st, name_at(s));
		s = item_end(s, close);
	}
	return true;
}

/* Memory that nothing was computed into yet, another name for what was computed before, and sizes of inputs. */
static bool makes_no_value(const char *value)
{
	size_t n = name_at(value).n;

	if (py_text_begins_with(value, "empty_strided") || py_text_begins_with(value, "reinterpret_tensor") ||
	    py_text_begins_with(value, "alloc_") || py_text_begins_with(value, "get_raw_stream") ||
	    py_text_begins_with(value, "[None] * ") || py_text_begins_with(value, "args"))
		return true;
	if (py_text_begins_with(value + n, ".size()") || py_text_begins_with(value + n, ".stride()"))
		return true;
	if (n > 5 && value[n] == '[' &&
	    (py_text_begins_with(value + n - 5, "_size") || py_text_begins_with(value + n - 5, "tride")))
		return true; /* s0 = arg1_1_size[0] */
	return n && !strchr("([.", value[n] ? value[n] : ' ');
}

/* "buf2_selector = int(buf1.item())", "u0 = buf0.item()" */
static bool reads_item(const char *value)
{
	const char *s = py_text_begins_with(value, "int(") || py_text_begins_with(value, "bool(") ?
				strchr(value, '(') + 1 :
				value;

	return py_text_begins_with(s + name_at(s).n, ".item()");
}

/* TARGET = value */
static void read_assignment(const struct wrapper_text *w, struct wrapper_statement *st, const char *value,
			    const char *end)
{
	static const char view[] = "reinterpret_tensor(";
	const char *paren = memchr(value, '(', (size_t)(end - value)), *close;
	struct piece name = name_at(value), target = st->target;
	bool arguments = target.n > 5 && !strncmp(target.s + target.n - 5, "_args", 5) && *value == '[';

	if (calls_subgraph(value)) {
		st->kind = WRAPPER_SUBGRAPH;
		st->called = name;
	} else if (makes_no_value(value) || arguments) {
		st->kind = WRAPPER_MEMORY;
		if (begins(value, end, view))
			st->base = name_at(value + sizeof(view) - 1);
	} else if (name.n && value[name.n] == '[') {
		close = memchr(value, ']', (size_t)(end - value));
		st->kind = close && (close + 1 == end || strchr(" ;", close[1])) ? WRAPPER_PART : WRAPPER_VALUE;
		st->base = st->kind == WRAPPER_PART ? name : st->base;
	} else if (paren && !reads_item(value)) {
		st->kind = WRAPPER_CALL;
		read_call(w, st, value, paren, end);
	} else
		st->kind = paren ? WRAPPER_ITEM : WRAPPER_VALUE;
	add_write(st, target);
}

static bool is_check(const char *s, const char *end)
{
	return begins(s, end, "assert_") || begins(s, end, "args.clear(") || begins(s, end, "torch.cuda.") ||
	       begins(s, end, "run_intermediate_hooks(");
}

static void read_statement(struct wrapper_text *w, struct wrapper_statement *st)
{
	const char *s = st->text.s, *end = s + st->text.n, *paren = memchr(s, '(', st->text.n), *value;

	st->target = name_at(s);
	value = s + st->target.n + strspn(s + st->target.n, " ");
	if (st->text.n > 7 && !strncmp(end - 7, " = args", 7)) {
		st->kind = WRAPPER_INPUTS;
		st->target.n = 0;
	} else if (begins(s, end, "return")) {
		st->kind = WRAPPER_RETURN;
		st->target.n = 0;
	} else if (read_several(st, s, end)) {
		st->target.n = 0;
	} else if (st->target.n && value < end && *value == '=' && value[1] != '=') {
		value++;
		read_assignment(w, st, value + strspn(value, " "), end);
	} else {
		st->target.n = 0;
		if (paren && s + strcspn(s, "( ") == paren && !is_check(s, end) && !begins(s, end, "del")) {
			st->kind = WRAPPER_CALL;
			read_call(w, st, s, paren, end);
		}
	}
	w->statement = mem_grow(w->statement, &w->statements_cap, (size_t)w->nstatements + 1, sizeof(*w->statement));
	w->statement[w->nstatements++] = *st;
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

struct reading {
	struct wrapper_text *w;
	struct piece function, nodes;
	size_t indent; /* of the function's def */
	int line;
};

/* "sin, cos" of the comment "# Topologically Sorted Source Nodes: [sin, cos], Original ATen: ..." */
static void read_comment(struct reading *r, const char *s, const char *end)
{
	static const char lead[] = "Source Nodes: [";
	const char *from = found_in(s, end, lead), *close;

	from = from ? from + sizeof(lead) - 1 : NULL;
	close = from ? memchr(from, ']', (size_t)(end - from)) : NULL;
	if (close)
		r->nodes = (struct piece){ from, (size_t)(close - from) };
}

/* One line that is not a comment; returns where it ends, which is further down for a kernel. */
static const char *read_line(struct reading *r, const char *line, const char *s, const char *end)
{
	struct piece name = name_at(s);
	struct wrapper_statement st = { .text = { s, (size_t)(end - s) }, .line = r->line, .nodes = r->nodes };

	if (name.n && begins(s + name.n, end, definition) && !begins(s + name.n + sizeof(definition) - 1, end, "wait"))
		return read_kernel(r->w, s, name, r->line, r->nodes);
	if (r->function.n && (size_t)(s - line) <= r->indent)
		r->function.n = 0;
	if (begins(s, end, "def ")) {
		r->function = name_at(s + 4);
		r->indent = (size_t)(s - line);
	} else if (r->function.n) {
		st.function = r->function;
		read_statement(r->w, &st);
	}
	return end;
}

struct wrapper_text *wrapper_text_read(const char *text)
{
	struct reading r = { .w = mem_alloc(sizeof(*r.w)), .line = 1 };
	const char *line, *s, *end, *p;

	for (line = text; *line; line = *end ? end + 1 : end, r.line++) {
		s = line + strspn(line, " \t");
		end = s + strcspn(s, "\n");
		if (*s == '#')
			read_comment(&r, s, end);
		else if (s < end) {
			end = read_line(&r, line, s, end);
			for (p = s; p < end; p++)
				r.line += *p == '\n';
			r.nodes.n = 0;
		}
	}
	return r.w;
}

void wrapper_text_free(struct wrapper_text *w)
{
	int i;

	for (i = 0; w && i < w->nkernels; i++)
		free(w->kernel[i].written);
	for (i = 0; w && i < w->nstatements; i++)
		free(w->statement[i].write);
	if (w) {
		free(w->kernel);
		free(w->statement);
	}
	free(w);
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

const struct wrapper_statement *wrapper_text_at(const struct wrapper_text *w, int line)
{
	int low = 0, high = w->nstatements, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (w->statement[mid].line < line)
			low = mid + 1;
		else
			high = mid;
	}
	return low < w->nstatements && w->statement[low].line == line ? &w->statement[low] : NULL;
}

static bool wrapper_text_names(const struct wrapper_statement *s, const char *word)
{
	return py_text_has_word(s->text.s, s->text.n, word);
}

int wrapper_text_calls(const struct wrapper_text *w, const char *kernel)
{
	int i, n = 0;

	for (i = 0; i < w->nstatements; i++)
		n += w->statement[i].kernel && piece_is(w->statement[i].called, kernel);
	return n;
}

/* The function that computes a buffer: that of the sub-graph with whose name the buffer's begins, as
   "true_graph_0_buf1", else `call`. */
static struct piece function_of(const struct wrapper_text *w, const char *buffer)
{
	struct piece found = { "call", 4 }, f;
	size_t longest = 0;
	int i;

	for (i = 0; i < w->nstatements && strstr(buffer, "_buf"); i++) {
		f = w->statement[i].function;
		if (f.n > longest && !strncmp(buffer, f.s, f.n) && buffer[f.n] == '_') {
			longest = f.n;
			found = f;
		}
	}
	return found;
}

static bool writes(const struct wrapper_statement *s, const char *name)
{
	int i;

	for (i = 0; i < s->nwrites; i++)
		if (piece_is(s->write[i], name))
			return true;
	return false;
}

/* May a statement that names a buffer compute it?  What a kernel writes is known. */
static bool may_make(const struct wrapper_statement *s, const char *buffer)
{
	if (s->kind != WRAPPER_CALL && s->kind != WRAPPER_SUBGRAPH)
		return false;
	return !s->kernel || s->kernel->nargs < 0 || writes(s, buffer);
}

const struct wrapper_statement *wrapper_text_maker(const struct wrapper_text *w, const char *buffer)
{
	const struct wrapper_statement *s, *found = NULL;
	struct piece function = function_of(w, buffer);
	bool input = false;
	char *name = mem_str(buffer);
	int i, parts = 0;

	for (i = 0; i < w->nstatements && (!found || input); i++) {
		s = &w->statement[i];
		if (!is_same(s->function, function) || !wrapper_text_names(s, name))
			continue;
		if (s->kind == WRAPPER_PART && piece_is(s->target, name) && parts++ < PARTS_DEEP) {
			free(name); /* a part is made where the whole is */
			name = mem_strn(s->base.s, s->base.n);
			i = -1;
		} else if (s->kind == WRAPPER_INPUTS)
			input = true;
		else if (may_make(s, name))
			found = s;
	}
	free(name);
	return found;
}
