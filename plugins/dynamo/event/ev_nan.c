/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a node or kernel of a compiled graph made a NaN or an Inf that its inputs did not have.  It stops
   before each line of the graph to check the values of the previous line. Runs none of torch's operations. */
#include "code/graph_codes.h"
#include "code/node_values.h"
#include "event/dynamo_event.h"
#include "event/nan_made.h"
#include "torch/py_text.h"
#include "torch/tensor_numbers.h"
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 0x80 }; /* of a variable: nobody has looked yet */

/* One run of a graph. */
struct run {
	struct py_frame *f; /* an address, never followed */
	const struct graph_lines *lines;
	unsigned char *odd;		 /* of each variable: TENSOR_NUMBERS_NAN, TENSOR_NUMBERS_INF, UNKNOWN */
	const struct graph_line *before; /* the line that is about to run, or has just run */
	bool result;			 /* what line_made_odd() said when `before` was reached */
	unsigned long thread;
	unsigned below;				/* what sub-graphs that `before` calls have made */
	const char *from, *to;			/* the memory that `before` may change in place; NULL: none */
	PyObject *held;				/* what it changes and frees itself, until it has run; or NULL */
	struct nan_holding held_now, held_then; /* what the kernels of `before`, and of the line before it, overwrite */
};

enum { RUNS_MOST = 64 };
static struct run runs[RUNS_MOST];
static int next_run;
static bool skip_reported, class_reported;

/* What was found last, for the stop that follows. */
static struct {
	char *node;
	unsigned odd;
	long long nan, inf, elements;
	int line;
	bool inf_only;			 /* only catchpoints for infinities want to stop there */
	struct run *run;		 /* NULL: it has ended */
	const struct graph_line *before; /* the line of its graph that made it */
	struct nan_made made;		 /* in the stop only, see nan_detail() */
	const struct graph_lines *at;	 /* ... where this stands for the place of a line; NULL: nowhere */
	int stands_for;			 /* ... that line */
} found;

static void run_begin(struct run *r, struct py_frame *f, const struct graph_lines *l)
{
	free(r->odd);
	Py_CLEAR(r->held);
	nan_holding_release(&r->held_now);
	nan_holding_release(&r->held_then);
	r->f = f;
	r->lines = l;
	r->before = NULL;
	r->below = 0;
	r->thread = PyThread_get_thread_ident();
	r->odd = mem_alloc((size_t)PyTuple_GET_SIZE(l->co->co_localsplusnames) + 1);
	memset(r->odd, UNKNOWN, (size_t)PyTuple_GET_SIZE(l->co->co_localsplusnames));
}

static void run_end(struct run *r)
{
	free(r->odd);
	Py_CLEAR(r->held);
	nan_holding_release(&r->held_now);
	nan_holding_release(&r->held_then);
	if (found.run == r)
		found.run = NULL;
	memset(r, 0, sizeof(*r));
}

static struct run *run_of(struct py_frame *f, const struct graph_lines *l, const struct graph_line *row)
{
	struct run *r = NULL;
	int i;

	for (i = 0; i < RUNS_MOST && !r; i++)
		if (runs[i].f == f && runs[i].lines == l)
			r = &runs[i];
	for (i = 0; i < RUNS_MOST && !r; i++)
		if (!runs[i].f)
			r = &runs[i];
	if (!r)
		r = &runs[next_run++ % RUNS_MOST];
	/* a new call may have an old frame's address */
	if (r->f != f || r->lines != l || (row == &l->at[0] && r->before != row))
		run_begin(r, f, l);
	return r;
}

/* A value that is not in this process's memory is skipped: reading it would wait for the device.  That is
   reported once. */
static unsigned look_into(PyObject *v)
{
	unsigned odd = tensor_numbers_odd(v);
	char *text;

	if (!class_reported && tensor_numbers_other_class(v)) {
		class_reported = true;
		text = mem_fmt("catch nan skips tensors of class '%s' and of other classes than torch's own, whose "
			       "elements only their methods can read; 'graph run until nan' looks into them",
			       Py_TYPE(v)->tp_name);
		host->talk.say(text);
		free(text);
	}
	if (odd & TENSOR_NUMBERS_ELSEWHERE && !skip_reported) {
		skip_reported = true;
		host->talk.say(
			"catch nan skips tensors that are not on the CPU: reading one would wait for its device, "
			"and a meta tensor has no elements; 'graph run until nan' looks at those of a device");
	}
	return odd & ~(unsigned)TENSOR_NUMBERS_ELSEWHERE;
}

static unsigned odd_of(struct run *r, struct py_frame *f, int local)
{
	PyObject *v;

	if (r->odd[local] & UNKNOWN) {
		v = (PyObject *)host->frames.local(f, local);
		r->odd[local] = v ? (unsigned char)look_into(v) : 0;
	}
	return r->odd[local];
}

static void count_odd(PyObject *v)
{
	struct tensor_numbers n;
	Py_ssize_t i;

	if (PyTuple_Check(v) || PyList_CheckExact(v)) {
		for (i = 0; i < PySequence_Fast_GET_SIZE(v); i++)
			count_odd(PySequence_Fast_GET_ITEM(v, i));
		return;
	}
	tensor_numbers_of(v, &n);
	found.nan += n.nan;
	found.inf += n.inf;
	found.elements += n.count;
}

/* The graphs in the middle of whose lines this one was called have stopped here: not again at these lines. */
static void made_below(const struct run *r, unsigned odd)
{
	int i;

	for (i = 0; i < RUNS_MOST; i++)
		if (runs[i].f && &runs[i] != r && runs[i].thread == r->thread)
			runs[i].below |= odd;
}

/* Is v in a variable that the line wrote? */
static bool is_result(struct py_frame *f, const struct graph_line *row, PyObject *v)
{
	int i;

	for (i = 0; i < row->nwrites; i++)
		if ((PyObject *)host->frames.local(f, row->writes[i]) == v)
			return true;
	return false;
}

/* Another line of a graph runs in this thread: the one before it has run, or raised an exception. */
static void release_held(unsigned long thread)
{
	int i;

	for (i = 0; i < RUNS_MOST; i++)
		if (runs[i].thread == thread)
			Py_CLEAR(runs[i].held);
}

/* The memory that a line may change in place, which is about to run. */
static void note_memory(struct run *r, struct py_frame *f, const struct graph_line *row)
{
	const char *from, *to;
	PyObject *v;
	int i;

	r->from = r->to = NULL;
	for (i = 0; row->in_place && i < row->nreads; i++) {
		v = (PyObject *)host->frames.local(f, row->reads[i]);
		if ((row->changed >= 0 && row->reads[i] != row->changed) || !v || !tensor_numbers_memory(v, &from, &to))
			continue;
		r->from = !r->from || from < r->from ? from : r->from;
		r->to = to > r->to ? to : r->to;
		if (row->drops)
			r->held = Py_NewRef(v);
	}
}

/* What the line made of tensors in the memory that it changed in place: what it read, and others that share this. */
static unsigned changed_odd(struct run *r, struct py_frame *f, const struct graph_line *row, unsigned before)
{
	int n = (int)PyTuple_GET_SIZE(r->lines->co->co_localsplusnames), i;
	unsigned now = 0, one, was, was_changed;
	const char *from, *to;
	PyObject *v;

	was_changed = row->changed < 0 || row->overwrites ? 0 : r->odd[row->changed] & ~(unsigned)UNKNOWN;
	for (i = 0; r->from && i < n; i++) {
		v = (PyObject *)host->frames.local(f, i);
		if (!v || r->odd[i] & UNKNOWN || !tensor_numbers_memory(v, &from, &to) || to <= r->from ||
		    from >= r->to || is_result(f, row, v))
			continue;
		was = before | (i == row->changed ? was_changed : r->odd[i]);
		r->odd[i] = UNKNOWN;
		one = odd_of(r, f, i) & ~was;
		if (one && !found.nan && !found.inf)
			count_odd(v);
		now |= one;
	}
	if (r->held) {
		one = look_into(r->held) & ~(before | was_changed);
		if (one && !found.nan && !found.inf)
			count_odd(r->held);
		now |= one;
	}
	return now;
}

/* The previous line has run: did it write a NaN or Inf that neither its inputs have nor a sub-graph that it calls has
   made? */
static bool line_made_odd(struct run *r, struct py_frame *f, const struct graph_line *row)
{
	unsigned before = (row->nan ? TENSOR_NUMBERS_NAN : 0) | (row->inf ? TENSOR_NUMBERS_INF : 0) | r->below;
	unsigned now = 0, one;
	PyObject *v;
	int i;

	for (i = 0; i < row->nreads; i++)
		if (!row->overwrites || row->reads[i] != row->changed)
			before |= r->odd[row->reads[i]] & ~UNKNOWN;
	found.nan = found.inf = found.elements = 0;
	for (i = 0; i < row->nwrites; i++) {
		if (row->memory) {
			r->odd[row->writes[i]] = (unsigned char)(row->nreads ? before : 0);
			continue;
		}
		v = (PyObject *)host->frames.local(f, row->writes[i]);
		one = v ? look_into(v) : 0;
		if (one & ~before)
			count_odd(v);
		r->odd[row->writes[i]] = (unsigned char)one;
		now |= one;
	}
	if (row->in_place)
		now |= changed_odd(r, f, row, before);
	if (!(now & ~before) || row->input || row->memory || row->unset || !row->node)
		return false;
	free(found.node);
	found.node = mem_str(row->node);
	found.odd = now & ~before;
	found.line = row->line;
	found.run = r;
	found.before = row;
	found.inf_only = true;
	made_below(r, found.odd);
	return true;
}

/* For the stop before this line, what the kernel before has overwritten; and what that of this line may. */
static void hold_memory(struct run *r, struct py_frame *f, const struct graph_line *row)
{
	nan_holding_release(&r->held_then);
	if (r->result) {
		r->held_then = r->held_now;
		memset(&r->held_now, 0, sizeof(r->held_now));
	}
	nan_holding_note(&r->held_now, f, r->lines, row);
}

static bool nan_wanted(const char *words)
{
	return !*words || (found.odd & (!strcmp(words, "nan") ? TENSOR_NUMBERS_NAN : TENSOR_NUMBERS_INF));
}

static bool nan_happens(const char *words, struct py_frame *f, struct code *c, int index)
{
	const struct graph_lines *l = graph_codes_lines(c);
	const struct graph_line *row = graph_codes_line(l, c->instr[index].line);
	PyObject *type, *value, *tb;
	struct run *r;
	bool stops;
	int i;

	if (!row)
		return false;
	PyErr_Fetch(&type, &value, &tb);
	r = run_of(f, l, row);
	if (host->talk.option_number("graph-values"))
		node_values_line(f, l, row);
	if (r->before != row) /* else another catchpoint has asked already */
		r->result = r->before && line_made_odd(r, f, r->before);
	for (i = 0; i < row->nreads; i++) /* the values before it runs: it may write to them */
		odd_of(r, f, row->reads[i]);
	if (r->before != row) {
		release_held(r->thread);
		note_memory(r, f, row);
		hold_memory(r, f, row);
		r->below = 0;
	}
	r->before = row;
	PyErr_Restore(type, value, tb);
	stops = r->result && nan_wanted(words);
	found.inf_only &= !stops || !strcmp(words, "inf");
	return stops;
}

static void nan_add_lines(void *out, struct code *c, const struct graph_lines *l)
{
	int i;

	for (i = 0; i < l->n; i++)
		host->files.add_place(out, c, l->at[i].index, l->at[i].line, NULL);
}

static int nan_places(const char *words, struct places *out)
{
	(void)words;
	graph_codes_each(nan_add_lines, out);
	return 1;
}

static int nan_check(const char *words, struct err *err)
{
	return *words && strcmp(words, "nan") && strcmp(words, "inf") ?
		       err_set(err, "invalid argument '%s' of 'catch nan': expected nan, inf, or nothing for both",
			       words) :
		       0;
}

/* The lines are freed, and others may get their addresses. */
static void nan_forget(const struct graph_lines *l)
{
	int i;

	for (i = 0; i < RUNS_MOST; i++)
		if (runs[i].lines == l)
			run_end(&runs[i]);
}

static void nan_arm(bool on)
{
	int i;

	graph_codes_on_free(nan_forget);

	for (i = 0; i < RUNS_MOST && !on; i++)
		run_end(&runs[i]);
}

/* Inside the stop. */
static struct val *nan_detail(struct code *c, int index)
{
	struct val *map = val_map();
	struct graph_lines *l = graph_codes_lines(c);

	nan_made_release(&found.made);
	if (l && found.run && found.run->lines == l)
		nan_made_find(found.run->f, l, found.before, &found.run->held_then,
			      found.odd & TENSOR_NUMBERS_NAN && !found.inf_only, &found.made);
	found.at = l;
	found.stands_for = c->instr[index].line;
	val_put(map, "node", val_str(found.node));
	val_put(map, "line", val_int(found.line));
	val_put(map, "nan", val_int(found.nan));
	val_put(map, "inf", val_int(found.inf));
	val_put(map, "elements", val_int(found.elements));
	nan_made_put(&found.made, map);
	return map;
}

bool ev_nan_place(const struct graph_lines *l, int line, const char **file, int *user_line)
{
	if (!l || found.at != l || found.stands_for != line)
		return false;
	*file = found.made.file;
	*user_line = found.made.line;
	return true;
}

void ev_nan_left(void)
{
	found.at = NULL;
}

static const char *odd_name(void)
{
	return found.odd == TENSOR_NUMBERS_NAN ? "NaN" : found.odd == TENSOR_NUMBERS_INF ? "Inf" : "NaN or Inf";
}

static void nan_describe(const struct event *ev, struct buf *out)
{
	(void)ev;
	buf_addf(out, "%s made %lld NaN and %lld Inf of %lld values", found.node, found.nan, found.inf, found.elements);
	nan_made_place(&found.made, out);
	buf_addf(out, "; its inputs had no %s", odd_name());
	nan_made_text(&found.made, out);
}

/* The title, then the node: a small screen shows five lines. */
static void nan_card(const struct event *ev, struct buf *out)
{
	struct buf node = { 0 };

	(void)ev;
	buf_addf(out, "%lld NaN and %lld Inf of %lld values", found.nan, found.inf, found.elements);
	nan_made_text(&found.made, &node);
	if (node.len)
		buf_addf(out, "\n%s", node.s + strlen("; "));
	buf_addf(out, "\nmade by %s", found.node);
	nan_made_place(&found.made, out);
	buf_addf(out, "; its inputs had no %s", odd_name());
	buf_release(&node);
}

const struct event_kind ev_nan = {
	.name = "nan",
	.args = "[nan | inf]",
	.help = "a node or kernel of a compiled graph made a NaN or an Inf that its inputs did not have",
	.arm = nan_arm,
	.places = nan_places,
	.happens = nan_happens,
	.detail = nan_detail,
	.describe = nan_describe,
	.card = nan_card,
	.check = nan_check,
};
