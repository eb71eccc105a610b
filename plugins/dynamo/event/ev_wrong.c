/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a compiled call gives another result than eager.  The first call of each entry is judged as by blame,
   and each N-th one, where its generated code begins, whose frame still has the arguments.  A call that cannot be
   judged is passed over and counted. */
#include "cmd/dynamo_cmd.h"
#include "cmd/result.h"
#include "code/locate.h"
#include "code/select.h"
#include "event/dynamo_event.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include <stdlib.h>
#include <string.h>

/* Calls that an entry served. */
struct served {
	const struct entry *entry;
	long calls;
};

/* Since the first catchpoint of this kind was set. */
static struct {
	long judged, wrong, passed_over, gradients;
	double seconds;	       /* of all judging */
	char *why;	       /* of the first that was passed over: a line; or NULL */
	struct served *served; /* owned: of each entry that was called */
	size_t n, cap;
} seen;

/* The catchpoints that were asked about the call that is asked about now: one of them judges it. */
enum { ASKED_MOST = 8 };
static struct {
	const struct py_frame *frame; /* an address, never followed */
	const struct entry *entry;
	const char *words[ASKED_MOST]; /* addresses, never followed */
	int n;
} asked;

static void wrong_arm(bool on)
{
	if (!on)
		return;
	free(seen.why);
	free(seen.served);
	memset(&seen, 0, sizeof(seen));
	memset(&asked, 0, sizeof(asked));
}

/* Is this another call than the one that a catchpoint was asked about before? */
static bool is_new_call(const char *words, const struct py_frame *frame, const struct entry *e)
{
	bool is_new = asked.frame != frame || asked.entry != e || asked.n == ASKED_MOST;
	int i;

	for (i = 0; !is_new && i < asked.n; i++)
		is_new = asked.words[i] == words;
	if (is_new)
		asked.n = 0;
	asked.frame = frame;
	asked.entry = e;
	asked.words[asked.n++] = words;
	return is_new;
}

static long count_call(const struct entry *e)
{
	size_t i;

	for (i = 0; i < seen.n && seen.served[i].entry != e; i++)
		;
	if (i == seen.n) {
		seen.served = mem_grow(seen.served, &seen.cap, seen.n + 1, sizeof(*seen.served));
		seen.served[seen.n++] = (struct served){ e, 0 };
	}
	return ++seen.served[i].calls;
}

static bool is_due(const struct entry *e)
{
	long every = host->talk.option_number("wrong-every"), n = count_call(e);

	return n == 1 || (every > 0 && n % every == 0);
}

/* ---- one call -------------------------------------------------------------------------------------------------- */

struct judging {
	struct entry *e;
	PyObject *locals, *answer; /* owned; answer NULL: err says why */
	struct err err;
};

static void judge(void *arg)
{
	struct judging *j = arg;

	j->answer = blame_call(j->e, j->locals, &j->err);
}

/* Keeps the verdict on a call for reports: that on the entry's first, unless a later one is wrong. */
static void keep_verdict(struct entry *e, PyObject *answer, bool wrong, const char *why)
{
	long long judged = e->made.verdict ? val_number(e->made.verdict, "calls", 0) : 0;
	struct val *map;
	char *first;

	if (answer)
		judged++;
	if (judged > 1 && !wrong) {
		val_put(e->made.verdict, "calls", val_int(judged));
		return;
	}
	val_free(e->made.verdict);
	map = e->made.verdict = val_map();
	val_put(map, "calls", val_int(judged));
	if (answer) {
		blame_put(answer, map);
		val_put(map, "gradients", val_bool(result_true(answer, "backward")));
	} else if (why) {
		val_put(map, "fault", val_str("not judged"));
		first = mem_strn(why, strcspn(why, "\n"));
		val_put(map, "sentence", val_str(first));
		free(first);
	}
}

static void pass_over(struct entry *e, const char *why)
{
	struct buf text = { 0 };

	seen.passed_over++;
	if (!e->made.verdict)
		keep_verdict(e, NULL, false, why);
	if (seen.why)
		return;
	buf_addf(&text, "%s: %.*s", qualname_entry(e), (int)strcspn(why, "\n"), why);
	seen.why = mem_str(text.s);
	text.len = 0;
	buf_addf(&text, "catch wrong passes over calls that cannot be judged, as of %s; 'info breakpoints' counts them",
		 seen.why);
	host->talk.note(0, text.s);
	buf_release(&text);
}

/* Is the answer about a fault, and the call not one of which eager itself gives two results? */
static bool is_fault(PyObject *answer)
{
	const char *fault = result_text(answer, "fault");

	return fault && strcmp(fault, "none") && strcmp(fault, "eager");
}

static struct val *wrong_detail(struct entry *e, PyObject *answer)
{
	struct val *map = val_map(), *verdict;
	struct buf notes = { 0 };

	val_put(map, "function", val_str(e->func->name));
	val_put(map, "entry", val_str(e->id));
	verdict = val_put(map, "verdict", val_map());
	blame_put(answer, verdict);
	blame_notes(answer, "", &notes);
	val_put(map, "notes", val_str(buf_str(&notes)));
	buf_release(&notes);
	return map;
}

static int line_within(const struct entry *e, PyObject *answer)
{
	const char *file = result_text(answer, "file"), *function = result_text(answer, "function");
	bool own = file && e->func->file && !strcmp(file, e->func->file);

	return own && function && !strcmp(function, e->func->name) ? (int)result_int(answer, "line", 0) : 0;
}

static void wrong_emit(struct entry *e, struct py_frame *frame, PyObject *answer)
{
	struct compiling *c = compiling_push((PyObject *)frame);

	Py_XSETREF(c->caller, (PyObject *)PyFrame_GetBack((PyFrameObject *)frame));
	c->func = e->func;
	compiling_event(&ev_wrong, c, line_within(e, answer), e->id, wrong_detail(e, answer), NULL, NULL);
	compiling_pop();
}

static bool wrong_happens(const char *words, struct py_frame *frame, struct code *code, int index)
{
	struct judging j = { .e = model_entry((PyCodeObject *)code->co) };

	(void)index;
	if (!j.e || !is_new_call(words, frame, j.e) || !is_due(j.e))
		return false;
	j.locals = (PyObject *)host->frames.locals(frame);
	if (!j.locals || !host->stops.aside(judge, &j)) {
		Py_XDECREF(j.locals);
		return false;
	}
	if (!j.answer) {
		pass_over(j.e, j.err.text);
	} else {
		seen.judged++;
		seen.seconds += result_real(j.answer, "seconds");
		seen.gradients += result_true(j.answer, "backward");
		keep_verdict(j.e, j.answer, is_fault(j.answer), NULL);
		if (is_fault(j.answer)) {
			seen.wrong++;
			wrong_emit(j.e, frame, j.answer);
		}
	}
	Py_XDECREF(j.answer);
	Py_DECREF(j.locals);
	return false; /* reported already, with the function that was called */
}

/* ---- the kind -------------------------------------------------------------------------------------------------- */

static int wrong_places(const char *words, struct places *out)
{
	struct entry *e;
	struct code *c;
	int n = 0;

	for (e = model_entries; e; e = e->next) {
		if (!e->co || !select_names(e->func, words))
			continue;
		c = host->code.get((struct py_code *)e->co);
		host->files.add_place(out, c, locate_first(c), e->func->line, NULL);
		n++;
	}
	return n;
}

static void wrong_describe(const struct event *ev, struct buf *out)
{
	buf_adds(out, val_text(val_get(ev->detail, "verdict"), "sentence"));
}

static void wrong_card(const struct event *ev, struct buf *out)
{
	const struct compiling *c = compiling_top();
	const char *notes = val_text(ev->detail, "notes");

	wrong_describe(ev, out);
	buf_addf(out, "\nthis call of %s is served by entry %s; 'blame' shows each link of it\n",
		 c && c->func ? qualname_func(c->func) : "?", val_text(ev->detail, "entry"));
	buf_adds(out, notes);
	while (out->len && out->s[out->len - 1] == '\n')
		out->s[--out->len] = '\0';
}

static void wrong_notes(const char *words, struct buf *out)
{
	(void)words;
	buf_addf(out, "%ld call%s judged, %ld of them wrong", seen.judged, seen.judged == 1 ? "" : "s", seen.wrong);
	if (seen.judged)
		buf_addf(out, ", in %.2f s; %ld with gradients", seen.seconds, seen.gradients);
	buf_addc(out, '\n');
	if (seen.passed_over)
		buf_addf(out, "%ld passed over, since they cannot be judged; the first: %s\n", seen.passed_over,
			 seen.why);
}

const struct event_kind ev_wrong = {
	.name = "wrong",
	.args = "[FUNC]",
	.help = "a compiled call gives other results or gradients than eager; says why, as blame; see wrong-every",
	.arm = wrong_arm,
	.places = wrong_places,
	.happens = wrong_happens,
	.matches = compiling_matches,
	.describe = wrong_describe,
	.card = wrong_card,
	.notes = wrong_notes,
};
