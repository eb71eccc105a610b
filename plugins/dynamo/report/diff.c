/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes the changes from one report to another: see diff.h; diff_pairs.h says which functions and entries are
   compared.  Knows the data tree only. */
#include "report/diff.h"
#include "report/diff_body.h"
#include "report/diff_kernels.h"
#include "report/diff_nodes.h"
#include "report/diff_pairs.h"
#include "report/data.h"
#include "report/load.h"
#include "report/page.h"
#include "report/stable_text.h"
#include "code/source_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct compared {
	struct buf *out;
	const struct pairs *pairs;
	int changes;
};

static void diff_line(struct compared *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void diff_line(struct compared *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(c->out, fmt, ap);
	va_end(ap);
	buf_addc(c->out, '\n');
	c->changes++;
}

/* ---- breaks -------------------------------------------------------------------------------------------- */

/* Line numbers change: a break is identified by its kind, and by the text of its line if that is the function's own. */
static char *break_key(const struct val *f, const struct val *b)
{
	const char *file = page_file(val_text(b, "file"));
	const bool own = !strcmp(file, page_file(val_text(f, "file")));

	return mem_fmt("%s|%s|%llx", val_text(b, "kind"), file,
		       own ? (unsigned long long)body_line(f, val_number(b, "line", 0)) : 0);
}

static int count_breaks(const struct val *f, const char *key)
{
	const struct val *list = data_list(f, "breaks");
	size_t i;
	int n = 0;
	char *k;

	for (i = 0; i < list->u.list.n; i++) {
		k = break_key(f, list->u.list.item[i]);
		n += !strcmp(k, key);
		free(k);
	}
	return n;
}

/* Breaks that `in` has more of than `other`. */
static void compare_breaks(struct compared *c, const struct val *in, const struct val *other, const char *what)
{
	const struct val *list = data_list(in, "breaks"), *b;
	const char *reason;
	size_t i, k;
	char *key, *before;
	bool seen;

	for (i = 0; i < list->u.list.n; i++) {
		b = list->u.list.item[i];
		key = break_key(in, b);
		for (k = 0, seen = false; k < i && !seen; k++) {
			before = break_key(in, list->u.list.item[k]);
			seen = !strcmp(key, before);
			free(before);
		}
		reason = val_text(b, "reason");
		if (!seen && count_breaks(in, key) > count_breaks(other, key))
			diff_line(c, "%s: %s graph break at %s:%lld: %.*s", val_text(in, "qualname"), what,
				  page_file(val_text(b, "file")), val_number(b, "line", 0), (int)strcspn(reason, "\n"),
				  reason);
		free(key);
	}
}

/* ---- entries ------------------------------------------------------------------------------------------- */

static bool guards_same_value(const struct compared *c, const struct val *before, const struct val *after)
{
	return pairs_same_source(c->pairs, val_text(before, "source"), val_text(after, "source")) &&
	       !strcmp(val_text(before, "kind"), val_text(after, "kind"));
}

/* The guard of an entry on the same value as g, of the same kind; expected: and it expects the same.  Guards on no
   single value are the same if they expect the same.  later: the entry is of the later report, and g of the earlier. */
static const struct val *guard_as(const struct compared *c, const struct val *e, const struct val *g, bool later,
				  bool expected)
{
	const struct val *list = data_list(e, "guards"), *h;
	size_t i;

	expected = expected || !*val_text(g, "source");
	for (i = 0; i < list->u.list.n; i++) {
		h = list->u.list.item[i];
		if ((later ? guards_same_value(c, g, h) : guards_same_value(c, h, g)) &&
		    (!expected || stable_same(val_text(h, "expected"), val_text(g, "expected"))))
			return h;
	}
	return NULL;
}

/* As people read it, without the address of an object, which differs in each process.  Owned by the caller. */
static char *comparable_text(const char *text)
{
	struct buf b = { 0 };
	char *s;

	if (!source_marks(text, &b))
		source_people(text, &b);
	s = stable_text(buf_str(&b));
	buf_release(&b);
	return s;
}

/* "guard added: KIND of VALUE: EXPECTED", "guard changed: KIND of VALUE is now EXPECTED, was EXPECTED".  was: the
   guard of the earlier report if it changed, else NULL. */
static void say_guard(struct compared *c, const char *function, const char *entry, const char *what,
		      const struct val *g, const struct val *was)
{
	char *expected = comparable_text(val_text(g, "expected")), *source = comparable_text(val_text(g, "source"));
	char *before = comparable_text(was ? val_text(was, "expected") : "");

	diff_line(c, "%s, entry %s: guard %s: %s%s%s%s%s%s%s", function, entry, what, val_text(g, "kind"),
		  *source ? " of " : "", source, was ? " is now " : ": ", expected, was ? ", was " : "", before);
	free(expected);
	free(source);
	free(before);
}

static void compare_guards(struct compared *c, const struct val *f, const struct val *a, const struct val *b)
{
	const struct val *from = data_list(a, "guards"), *to = data_list(b, "guards"), *g;
	const char *name = val_text(f, "qualname"), *id = val_text(b, "entry");
	size_t i;

	for (i = 0; i < to->u.list.n; i++) {
		g = to->u.list.item[i];
		if (!guard_as(c, a, g, false, false))
			say_guard(c, name, id, "added", g, NULL);
		else if (!guard_as(c, a, g, false, true))
			say_guard(c, name, id, "changed", g, guard_as(c, a, g, false, false));
	}
	for (i = 0; i < from->u.list.n; i++) {
		g = from->u.list.item[i];
		if (!guard_as(c, b, g, true, false))
			say_guard(c, name, id, "gone", g, NULL);
	}
}

/* Stages of this name over all graphs of an entry. */
struct sum {
	int stages, nodes, kernels, loops;
};

static struct sum graph_sum(const struct val *e, const char *stage)
{
	const struct val *graphs = data_list(e, "graphs"), *stages, *s, *kernels;
	struct sum sum = { 0 };
	size_t i, k, j;

	for (i = 0; i < graphs->u.list.n; i++) {
		stages = data_list(graphs->u.list.item[i], "stages");
		for (k = 0; k < stages->u.list.n; k++) {
			s = stages->u.list.item[k];
			if (strcmp(val_text(s, "stage"), stage))
				continue;
			sum.stages++;
			sum.nodes += (int)data_list(s, "nodes")->u.list.n;
			kernels = data_list(s, "kernels");
			sum.kernels += (int)kernels->u.list.n;
			for (j = 0; j < kernels->u.list.n; j++)
				sum.loops += diff_kernel_loops(kernels->u.list.item[j]);
		}
	}
	return sum;
}

/* was: the entry before, if the operators that come and go are to be named. */
static void say_size(struct compared *c, const struct val *f, const struct val *e, const char *stage,
		     const struct sum *x, const struct sum *y, const struct val *was)
{
	char *operators = was ? diff_operators(was, e, stage) : NULL;

	diff_line(c, "%s, entry %s: graph %s: %s has %d nodes instead of %d%s%s", val_text(f, "qualname"),
		  val_text(e, "entry"), y->nodes > x->nodes ? "grown" : "smaller", stage, y->nodes, x->nodes,
		  operators ? ": " : "", operators ? operators : "");
	free(operators);
}

static void say_nodes(struct compared *c, const struct val *f, const struct val *e, const char *stage,
		      const struct val *was)
{
	char *text = diff_node(was, e, stage);

	if (text)
		diff_line(c, "%s, entry %s: graph changed: %s has %s", val_text(f, "qualname"), val_text(e, "entry"),
			  stage, text);
	free(text);
}

/* Kernels, or loops of as many kernels. */
static void say_fusion(struct compared *c, const char *function, const char *entry, const char *stage,
		       const struct sum *x, const struct sum *y)
{
	const bool same = x->kernels == y->kernels;
	const int was = same ? x->loops : x->kernels, is = same ? y->loops : y->kernels;

	if (!x->stages || !y->stages || was == is)
		return;
	diff_line(c, "%s, entry %s: %s%s: %s%d %s%s instead of %d", function, entry,
		  is > was ? "fusion lost" : "more is fused",
		  !strcmp(stage, "kernel-backward") ? " in the backward graph" : "", same ? "its kernels have " : "",
		  is, same ? "outermost loop" : "kernel", is == 1 ? "" : "s", was);
}

static void stages(struct compared *c, const struct val *f, const struct val *a, const struct val *b)
{
	static const char *const names[] = { "captured", "backend",	   "joint",	"forward",
					     "backward", "inference",	   "post-grad", "post-grad-backward",
					     "kernel",	 "kernel-backward" };
	const char *name = val_text(f, "qualname"), *id = val_text(b, "entry");
	const int before = c->changes;
	struct sum x, y;
	bool changed = false; /* later stages are made from the first that differs */
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		x = graph_sum(a, names[i]);
		y = graph_sum(b, names[i]);
		if (x.stages && !y.stages)
			diff_line(c, "%s, entry %s: the stage '%s' of its graph is gone", name, id, names[i]);
		else if (!x.stages && y.stages)
			diff_line(c, "%s, entry %s: its graph has the stage '%s' now", name, id, names[i]);
		say_fusion(c, name, id, names[i], &x, &y);
		if (x.stages && y.stages && x.nodes != y.nodes)
			say_size(c, f, b, names[i], &x, &y, changed ? NULL : a);
		else if (!changed)
			say_nodes(c, f, b, names[i], a);
		changed = c->changes > before;
	}
}

static double seconds_of(const struct val *f)
{
	const struct val *list = data_list(f, "entry");
	double sum = 0;
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		sum += data_real(list->u.list.item[i], "seconds");
	return sum;
}

/* "; remedy for n: ...", as the pages have it; owned by the caller. */
static char *remedies(const struct val *e)
{
	enum { MOST = 3 };
	const struct val *row[MOST];
	size_t n = data_remedies(e, row, MOST), i;
	struct buf b = { 0 };
	char *source;

	for (i = 0; i < n; i++) {
		source = comparable_text(val_text(row[i], "source"));
		buf_addf(&b, "; remedy%s%s: %s", *source ? " for " : "", source, val_text(row[i], "remedy"));
		free(source);
	}
	return b.s ? b.s : mem_str("");
}

/* "f: new entry: 0/1, compiled because 0/0: type(n) is float; remedy for n: ...": an earlier entry needs what did not
   hold. */
static void new_entry(struct compared *c, const char *function, const struct val *e)
{
	char *why = comparable_text(val_text(e, "recompiled_because")), *where = NULL, *remedy = remedies(e);

	if (val_number(e, "resume_line", 0))
		where = mem_fmt(" of its resume function at line %lld", val_number(e, "resume_line", 0));
	diff_line(c, "%s: new entry: %s%s%s%.*s%s", function, val_text(e, "entry"), where ? where : "",
		  *why ? ", compiled because this guard did not hold: " : "", (int)strcspn(why, "\n"), why, remedy);
	free(where);
	free(remedy);
	free(why);
}

static void compare_entry(struct compared *c, const struct val *g, const struct val *before, const struct val *after)
{
	if (strcmp(val_text(before, "state"), val_text(after, "state")))
		diff_line(c, "%s, entry %s: was %s, is %s", val_text(g, "qualname"), val_text(after, "entry"),
			  val_text(before, "state"), val_text(after, "state"));
	compare_guards(c, g, before, after);
	stages(c, g, before, after);
}

static void entries(struct compared *c, const struct val *f, const struct val *g)
{
	const struct val *from = data_list(f, "entry"), *to = data_list(g, "entry"), *other;
	struct entry_place *before = entry_places(f), *after = entry_places(g);
	const char *name = val_text(g, "qualname");
	size_t i;

	for (i = 0; i < from->u.list.n; i++)
		if (!entry_at_place(g, after, &before[i]))
			diff_line(c, "%s: entry gone: %s", name, val_text(from->u.list.item[i], "entry"));
	for (i = 0; i < to->u.list.n; i++) {
		other = entry_at_place(f, before, &after[i]);
		if (other)
			compare_entry(c, g, other, to->u.list.item[i]);
		else
			new_entry(c, name, to->u.list.item[i]);
	}
	free(before);
	free(after);
}

static int recompiles_of(const struct val *f)
{
	const struct val *list = data_list(f, "entry");
	size_t i;
	int n = 0;

	for (i = 0; i < list->u.list.n; i++)
		n += *val_text(list->u.list.item[i], "recompiled_because") != '\0';
	return n;
}

static void compare_recompiles(struct compared *c, const struct val *f, const struct val *g)
{
	int a = recompiles_of(f), b = recompiles_of(g);

	if (a != b)
		diff_line(c, "%s: %d recompile%s instead of %d", val_text(g, "qualname"), b, b == 1 ? "" : "s", a);
}

/* Times of two runs always differ, by half on a machine with other work: reports only twice as much, by at least a
   quarter of a second. */
static void times(struct compared *c, const struct val *f, const struct val *g)
{
	double a = seconds_of(f), b = seconds_of(g);

	if (fabs(a - b) > 0.25 && (a > 2 * b || b > 2 * a))
		diff_line(c, "%s: compile time %.2f s instead of %.2f s", val_text(g, "qualname"), b, a);
}

/* What the programs ran on: much of what follows may come from there. */
static void versions(struct compared *c, const struct val *a, const struct val *b)
{
	static const char *const key[] = { "torch", "python", "cdbg" }, *const name[] = { "torch", "CPython", "cdbg" };
	size_t i;

	for (i = 0; i < sizeof(key) / sizeof(*key); i++)
		if (!*val_text(a, key[i]) != !*val_text(b, key[i]))
			diff_line(c, "%s is loaded in the %s run only", name[i],
				  *val_text(a, key[i]) ? "first" : "second");
		else if (strcmp(val_text(a, key[i]), val_text(b, key[i])))
			diff_line(c, "%s is version %s instead of %s", name[i], val_text(b, key[i]),
				  val_text(a, key[i]));
}

static void compare_functions(struct compared *c, const struct pair *p)
{
	if (!p->to) {
		diff_line(c, "function gone: %s", val_text(p->from, "qualname"));
		return;
	}
	if (!p->from) {
		diff_line(c, "new function: %s, %s", val_text(p->to, "qualname"), val_text(p->to, "status"));
		return;
	}
	if (p->renamed)
		diff_line(c, "function renamed from %s to %s: %s", val_text(p->from, "qualname"),
			  val_text(p->to, "qualname"), p->renamed);
	compare_breaks(c, p->to, p->from, "new");
	compare_breaks(c, p->from, p->to, "no more");
	entries(c, p->from, p->to);
	compare_recompiles(c, p->from, p->to);
	times(c, p->from, p->to);
}

int diff_reports(const char *before, const char *after, struct buf *out, struct err *err)
{
	struct val *a = load_report(before, err), *b = a ? load_report(after, err) : NULL;
	struct compared c = { .out = out };
	struct pairs pairs;
	size_t i;

	if (!a || !b) {
		val_free(a);
		return -1;
	}
	versions(&c, a, b);
	pairs_find(a, b, &pairs);
	c.pairs = &pairs;
	for (i = 0; i < pairs.n; i++)
		compare_functions(&c, &pairs.pair[i]);
	pairs_release(&pairs);
	if (!c.changes)
		buf_adds(out, "nothing changed\n");
	val_free(a);
	val_free(b);
	return 0;
}
