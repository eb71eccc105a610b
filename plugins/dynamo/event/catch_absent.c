/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a catchpoint cannot stop in the compiled graphs of the entries that exist, and what to do.  Knows no stop. */
#include "code/graph_codes.h"
#include "event/dynamo_event.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/stages.h"
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 4 };

/* Entries that cannot have what a catchpoint waits for. */
struct listed {
	struct buf ids, backends; /* separated by commas, each backend once */
	int n;
};

static void listed_release(struct listed *l)
{
	buf_release(&l->ids);
	buf_release(&l->backends);
}

static void list_name(struct buf *out, const char *name, int already)
{
	if (already == NAMES_MOST)
		buf_adds(out, ", ...");
	else if (already < NAMES_MOST)
		buf_addf(out, "%s%s", already ? ", " : "", name);
}

static void listed_add(struct listed *l, const struct entry *e, const char *backend)
{
	char *quoted = mem_fmt("'%s'", backend);

	list_name(&l->ids, e->id, l->n++);
	if (!strstr(buf_str(&l->backends), quoted))
		buf_addf(&l->backends, "%s%s", l->backends.len ? ", " : "", quoted);
	free(quoted);
}

static bool has_stage(const struct entry *e, const char *name)
{
	const struct stage *s;

	for (s = e->made.stages; s; s = s->next)
		if (!strcmp(s->name, name))
			return true;
	return false;
}

/* Did AOTAutograd and inductor compile nothing for this entry?  What compiled before cdbg was loaded is known by name
   only. */
static bool runs_graph_itself(const struct entry *e, const char *backend)
{
	if (e->made.before)
		return !strcmp(backend, "eager");
	return !e->made.stages && strncmp(backend, "aot_", 4) && strcmp(backend, "inductor");
}

/* Does torch name this backend?  Others are the program's own. */
static bool is_of_torch(const char *backend)
{
	static const char *const names[] = { "eager", "eager_noexcept", "eager_debug", "pre_dispatch_eager",
					     "ts",    "cudagraphs",	"onnxrt",      "openxla",
					     "tvm" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(backend, names[i]))
			return true;
	return false;
}

/* The next entry that runs graphs, and the name of its backend; NULL: there is none. */
static struct entry *next_entry(struct entry *e, char **backend)
{
	for (; e; e = e->next)
		if (e->made.ngraphs && model_cached(e)) {
			*backend = model_backend_name(e);
			return e;
		}
	return NULL;
}

void catch_absent_backward(const char *words, struct buf *out)
{
	struct listed eager = { 0 }, own = { 0 }, inference = { 0 };
	bool possible = false;
	struct entry *e;
	char *backend;

	(void)words;
	for (e = model_entries; !possible && (e = next_entry(e, &backend)); e = e->next) {
		if (backend && runs_graph_itself(e, backend))
			listed_add(is_of_torch(backend) ? &eager : &own, e, backend);
		else if (backend && has_stage(e, "inference") && !has_stage(e, "joint") && !has_stage(e, "backward"))
			listed_add(&inference, e, backend);
		else
			possible = true;
		free(backend);
	}
	if (eager.n && !possible)
		buf_addf(out,
			 "no stop in %s %s: backend %s compiles no backward graph, autograd computes the gradients; "
			 "compile with backend='aot_eager' or 'inductor'",
			 eager.n > 1 ? "entries" : "entry", buf_str(&eager.ids), buf_str(&eager.backends));
	if (own.n && !possible)
		buf_addf(out,
			 "%sno stop in %s %s: backend %s did not call AOTAutograd, which makes the backward graph; "
			 "wrap its compiler in torch._dynamo.backends.common.aot_autograd(), or compile with "
			 "backend='aot_eager' or 'inductor'",
			 eager.n ? "\n" : "", own.n > 1 ? "entries" : "entry", buf_str(&own.ids),
			 buf_str(&own.backends));
	if (inference.n && !possible)
		buf_addf(out,
			 "%sno stop in %s %s, compiled for inference: gradients were off, or no input required one",
			 eager.n || own.n ? "\n" : "", inference.n > 1 ? "entries" : "entry", buf_str(&inference.ids));
	listed_release(&eager);
	listed_release(&own);
	listed_release(&inference);
}

/* ---- kernels -------------------------------------------------------------------------------------------------- */

struct kernels {
	struct buf names;
	int n;
};

static void note_kernels(void *arg, struct code *c, const struct graph_lines *l)
{
	struct kernels *k = arg;
	int i;

	(void)c;
	for (i = 0; i < l->n; i++)
		if (l->at[i].kernel)
			list_name(&k->names, l->at[i].node, k->n++);
}

void catch_absent_kernel(const char *pattern, struct buf *out)
{
	struct kernels known = { 0 };
	struct listed others = { 0 };
	bool possible = false;
	struct entry *e;
	char *backend;

	graph_codes_each(note_kernels, &known);
	for (e = model_entries; !known.n && !possible && (e = next_entry(e, &backend)); e = e->next) {
		possible = !backend || !strcmp(backend, "inductor") || has_stage(e, "kernel") ||
			   (e->made.before && !runs_graph_itself(e, backend) && strncmp(backend, "aot_", 4));
		if (!possible)
			listed_add(&others, e, backend);
		free(backend);
	}
	if (known.n && *pattern)
		buf_addf(out, "no kernel so far is named '%s'; there %s %s", pattern, known.n > 1 ? "are" : "is",
			 buf_str(&known.names));
	else if (others.n && !possible)
		buf_addf(out,
			 "no stop in %s %s: backend %s makes no kernels; compile with backend='inductor', or stop at "
			 "a node with 'break node:NAME'",
			 others.n > 1 ? "entries" : "entry", buf_str(&others.ids), buf_str(&others.backends));
	buf_release(&known.names);
	listed_release(&others);
}
