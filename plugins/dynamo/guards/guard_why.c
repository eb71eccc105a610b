/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an entry does not fit: each of its guards that fails, not only the first, and Dynamo's own text for that one.
   Knows no view. */
#include "code/dynamo_code.h"
#include "guards/guard_args.h"
#include "guards/guard_cause.h"
#include "guards/guard_edit.h"
#include "guards/guard_eval.h"
#include "guards/guard_model.h"
#include "guards/guard_object.h"
#include "guards/guard_remedy.h"
#include "guards/guard_text.h"
#include "guards/guard_tree.h"
#include "guards/guard_why.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* The object whose attribute or item this value is: not the dictionary of its attributes. */
static PyObject *owner_of_value(struct look *k, int branch)
{
	PyObject *v = NULL, *up;
	int at = branch;

	while (at > 0) {
		at = k->tree->branch[at].parent;
		if (at <= 0 || look_value(k, at, &up) != HAVE_VALUE)
			return v;
		v = up;
		if (!PyDict_CheckExact(up))
			return v;
	}
	return v;
}

static const char *remedy_of(struct look *k, int branch, const struct failing *f)
{
	struct failure x = { .guard = f->guard, .expected = f->expected, .live = f->live };

	if (branch < 0)
		return guard_remedy(&x);
	if (look_value(k, branch, &x.value) != HAVE_VALUE)
		x.value = NULL;
	x.owner = owner_of_value(k, branch);
	return guard_remedy(&x);
}

/* part NULL: the whole guard. */
static void add_one(struct look *k, int leaf, const struct guard *part, struct why *out, size_t *cap)
{
	struct buf expected = { 0 }, live = { 0 };
	int number = k->guards->guard[leaf].number;
	enum guard_edit how = guard_edited(number);
	struct failing *f;

	if (part)
		guard_part_live(k, part, VERDICT_FAILS, &expected, &live);
	else
		guard_live(k, leaf, VERDICT_FAILS, &expected, &live);
	out->failing = mem_grow(out->failing, cap, (size_t)out->n + 1, sizeof(*out->failing));
	f = &out->failing[out->n++];
	f->guard = part ? part : &k->guards->guard[leaf];
	f->expected = how == GUARD_CHANGED			? mem_fmt("%s (edited)", guard_edit_text(number)) :
		      how == GUARD_FAILS || how == GUARD_PASSES ? mem_fmt("nothing: it is forced to fail") :
								  mem_str(buf_str(&expected));
	f->live = live.len ? mem_str(live.s) : NULL;
	f->remedy = remedy_of(k, part ? -1 : k->tree->leaf[leaf].branch, f);
	buf_release(&expected);
	buf_release(&live);
}

/* Torch repeats a condition for each place that needs it. */
static bool is_repeated(const struct guard *g, int part)
{
	int i;

	for (i = 0; i < part && strcmp(g->part[i].text, g->part[part].text) != 0; i++)
		;
	return i < part;
}

/* Adds the conditions of a guard that fail; the whole guard if they cannot be checked alone. */
static void add_failing_parts(struct look *k, int leaf, struct why *out, size_t *cap)
{
	const struct guard *g = &k->guards->guard[leaf];
	int i, before = out->n;

	for (i = 0; i < g->nparts; i++)
		if (!is_repeated(g, i) && guard_part_check(k, &g->part[i], VERDICT_FAILS) == VERDICT_FAILS)
			add_one(k, leaf, &g->part[i], out, cap);
	if (out->n == before)
		add_one(k, leaf, NULL, out, cap);
}

/* "CODE   # LINE  # FILE:N in F" without the line. */
static char *short_reason(char *reason)
{
	char *end = reason ? strstr(reason, "  #") : NULL;

	while (end && end > reason && end[-1] == ' ')
		end--;
	if (end)
		*end = '\0';
	return reason;
}

static int branch_of(struct look *k, const char *source)
{
	PyObject *name;
	int i, found = -1;

	for (i = 0; found < 0 && i < k->tree->nbranches; i++) {
		name = guards_call(k->tree->branch[i].manager, "get_source");
		if (name && PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, source))
			found = i;
		Py_XDECREF(name);
	}
	return found;
}

/* "len(SOURCE) != N", "TYPE_MISMATCH(SOURCE)": the expected and the actual value; false: not known. */
static bool node_values(struct look *k, const char *reason, const char *source, struct buf *expected, struct buf *live)
{
	int branch = branch_of(k, source);
	PyObject *v, *type;

	if (branch < 0 || look_value(k, branch, &v) != HAVE_VALUE)
		return false;
	if (*reason == 'l') {
		buf_addf(expected, "length %s", strrchr(reason, ' ') + 1);
		buf_addf(live, "length %zd", PyObject_Size(v));
	} else {
		type = guards_call(k->tree->branch[branch].manager, "get_type_of_guarded_value");
		if (type && PyType_Check(type))
			guard_full_type((PyTypeObject *)type, expected);
		guard_full_type(Py_TYPE(v), live);
		Py_XDECREF(type);
	}
	PyErr_Clear();
	return expected->len && live->len;
}

/* A dictionary's node checks length and type itself, without leaf guards: only the reason text names them. */
static void add_dict_check(struct look *k, struct why *out, size_t *cap)
{
	const char *open = strchr(out->reason, '('), *close = strrchr(out->reason, ')');
	bool length = !strncmp(out->reason, "len(", 4) && close && !strncmp(close, ") != ", 5);
	struct buf expected = { 0 }, live = { 0 };
	const struct guard *of = k->guards->guard;
	char *source;

	if (!close || (!length && strncmp(out->reason, "TYPE_MISMATCH(", 14)))
		return;
	source = mem_fmt("%.*s", (int)(close - open - 1), open + 1);
	if (node_values(k, out->reason, source, &expected, &live)) {
		while (of < k->guards->guard + k->guards->n && !(of->line && strstr(of->source, source)))
			of++;
		out->node = mem_alloc(sizeof(*out->node));
		*out->node = (struct guard){ .entry = out->entry,
					     .source = source,
					     .text = out->reason,
					     .kind = length ? "DICT_LENGTH" : "TYPE_MATCH" };
		if (of < k->guards->guard + k->guards->n) {
			out->node->file = of->file;
			out->node->line = of->line;
		}
		out->failing = mem_grow(out->failing, cap, (size_t)out->n + 1, sizeof(*out->failing));
		out->failing[out->n] = (struct failing){ out->node, expected.s, live.s, NULL };
		out->failing[out->n].remedy = remedy_of(k, branch_of(k, source), &out->failing[out->n]);
		out->n++;
		return;
	}
	free(source);
	buf_release(&expected);
	buf_release(&live);
}

/* For an entry that is in Dynamo's cache without its code: its manager still says which object died. */
char *why_gone(struct entry *e)
{
	PyObject *manager = e->end || e->made.gone ? NULL : model_invalidated(e);
	PyObject *reason = attr(manager, "invalidation_reason");
	const char *s = reason && PyUnicode_Check(reason) ? PyUnicode_AsUTF8(reason) : NULL;
	char *text;

	if (s)
		e->made.gone = mem_str(s);
	text = mem_str(e->made.gone ? e->made.gone :
				      "removed from Dynamo's cache by a reset, or its "
				      "function was freed");
	PyErr_Clear();
	Py_XDECREF(reason);
	Py_XDECREF(manager);
	return text;
}

const char *why_remedy(const struct why *w)
{
	if (w->remedy)
		return w->remedy;
	if (w->reason && strstr(w->reason, "got deallocated"))
		return "keep the object alive as long as the function is called: an object made for each call, such "
		       "as a bound method, is compiled each time";
	if (w->reason && strstr(w->reason, "another backend"))
		return "compile the function once and keep what torch.compile() returned";
	return NULL;
}

static char *other_backend(struct entry *e, PyObject *backend)
{
	PyObject *own = backend ? model_backend(e) : NULL;
	char *text = NULL;
	struct buf name = { 0 };

	if (own && own != backend) {
		host->values.show((struct py_obj *)own, &name, 80);
		text = mem_fmt("every guard passes, but it was compiled for another backend: %s", name.s);
	}
	buf_release(&name);
	Py_XDECREF(own);
	PyErr_Clear();
	return text;
}

void why_of(struct entry *e, const struct scene *s, PyObject *backend, struct why *out)
{
	struct look k;
	size_t cap = 0;
	int i;

	memset(out, 0, sizeof(*out));
	out->entry = e;
	if (!look_start(&k, e, s)) {
		out->reason = why_gone(e);
		return;
	}
	for (i = 0; s->locals && i < k.guards->n; i++)
		if (look_check(&k, i) == VERDICT_FAILS)
			add_failing_parts(&k, i, out, &cap);
	if (s->whole && !entry_edited(e))
		out->reason = short_reason(look_reason(&k));
	if (out->reason)
		add_dict_check(&k, out, &cap);
	if (!out->reason && out->n)
		out->reason = mem_str(out->failing[0].guard->text);
	if (!out->reason)
		out->reason = other_backend(e, backend);
	if (!out->reason && entry_edited(e))
		out->reason = mem_fmt("see 'info overrides': it is %s", entry_edited(e));
	if (!out->reason && !s->whole)
		out->reason = mem_fmt("all guards that can be checked pass; arguments were rebound since the call");
	look_end(&k);
}

void why_release(struct why *w)
{
	int i;

	for (i = 0; i < w->n; i++) {
		free(w->failing[i].expected);
		free(w->failing[i].live);
	}
	if (w->node)
		free(w->node->source);
	free(w->node);
	free(w->failing);
	free(w->reason);
	memset(w, 0, sizeof(*w));
}

void why_head(long long number, const char *text, const char *file, long long line, struct buf *out)
{
	if (number)
		buf_addf(out, "  %lld ", number);
	else
		buf_adds(out, "  - ");
	source_text_shown(text, 400, out);
	if (line)
		buf_addf(out, "  %s:%lld", py_text_file_name(file), line);
	buf_adds(out, "\n");
}

void why_values(const char *expected, const char *live, bool changed, struct buf *out)
{
	buf_adds(out, "     expected ");
	source_text_shown(expected, 400, out);
	if (changed)
		buf_adds(out, "\n     changed since the call");
	if (*live) {
		buf_adds(out, changed ? ": " : "\n     is       ");
		source_text_shown(live, 400, out);
	}
	buf_adds(out, "\n");
}

static struct val *guard_line(const struct guard *g)
{
	return g->line ? val_int(g->line) : val_null();
}

/* {"entry", "failing": [...], "reason"} */
static struct val *why_detail(const struct why *w)
{
	struct val *map = val_map(), *list = val_list(), *row;
	const struct failing *f;
	int i;

	val_put(map, "entry", val_str(w->entry->id));
	for (i = 0; i < w->n; i++) {
		f = &w->failing[i];
		row = val_push(list, val_map());
		val_put(row, "guard", f->guard->number ? val_int(f->guard->number) : val_null());
		val_put(row, "text", val_str(f->guard->text));
		val_put(row, "expected", val_str(f->expected));
		val_put(row, "live", val_str(f->live));
		val_put(row, "line", guard_line(f->guard));
		val_put(row, "file", val_str(f->guard->file));
		val_put(row, "function", val_str(f->guard->function));
		val_put(row, "kind", val_str(f->guard->kind));
		val_put(row, "source", val_str(f->guard->source));
		val_put(row, "remedy", val_str(f->remedy));
	}
	val_put(map, "failing", list);
	val_put(map, "reason", val_str(w->reason));
	val_put(map, "remedy", val_str(w->n ? NULL : why_remedy(w)));
	return map;
}

/* torch.compiler.set_enable_guard_collectives(): its group is made at the first lookup. */
static bool guard_collectives(void)
{
	PyObject *group = attrs_get(ATTR_GUARD_GROUP);
	bool on = group && group != Py_None;

	Py_XDECREF(group);
	return on;
}

struct val *why_all(struct func *f, const char *id, struct entry **entry, int n, const struct scene *s,
		    PyObject *backend)
{
	struct val *map = val_map(), *list = val_list();
	void *evaluator = switch_enter(); /* code that guards call must not be compiled by Dynamo */
	bool collective = guard_collectives(), other = false;
	struct why why;
	int i;

	val_put(map, "function", val_str(f->name));
	val_put(map, "entry", val_str(id));
	for (i = 0; i < n; i++) {
		why_of(entry[i], s, backend, &why);
		other = other || (!why.reason && collective);
		if (!why.reason)
			why.reason = mem_str(
				collective ?
					"another rank's guards failed, and guard collectives make all ranks compile" :
					"every guard passes now; they may have failed at the lookup");
		val_push(list, why_detail(&why));
		why_release(&why);
	}
	switch_leave(evaluator);
	val_put(map, "entries", list);
	if (other)
		val_put(map, "other_rank", val_bool(true));
	return map;
}

/* ---- the same in one line ------------------------------------------------------------------------------------ */

const struct val *why_nearest(const struct val *detail)
{
	const struct val *entries = val_get(detail, "entries"), *best = NULL, *f, *most = NULL;
	size_t i;

	for (i = 0; entries && entries->type == VAL_LIST && i < entries->u.list.n; i++) {
		f = val_get(entries->u.list.item[i], "failing");
		if (!best || (f->u.list.n && (!most->u.list.n || f->u.list.n < most->u.list.n))) {
			best = entries->u.list.item[i];
			most = f;
		}
	}
	return best;
}

void why_describe(const struct val *detail, struct buf *out)
{
	const struct val *entries = val_get(detail, "entries"), *e = why_nearest(detail);
	const char *reason = e ? val_text(e, "reason") : "";
	size_t others = entries ? entries->u.list.n : 0, n, i, more = 0;
	struct guard_cause *cause = guard_causes(e ? val_get(e, "failing") : NULL, &n);

	buf_addf(out, "%s: ", e ? val_text(e, "entry") : "?");
	if (n && *val_text(cause->guard[0], "live"))
		guard_cause_text(cause, 60, out);
	else
		buf_addf(out, "%.*s", (int)strcspn(reason, "\n"), reason);
	for (i = 1; i < n; i++)
		more += cause[i].n;
	if (more)
		buf_addf(out, " (and %zu more)", more);
	if (others > 1)
		buf_addf(out, "; %zu other %s", others - 1, others == 2 ? "entry misses too" : "entries miss too");
	free(cause);
}
