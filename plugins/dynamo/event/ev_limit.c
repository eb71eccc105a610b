/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a function has reached the recompile limit; calls that match no entry run in eager mode from then
   on. */
#include "event/dynamo_event.h"
#include "model/compiling.h"
#include "model/dynamo_cache.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <stdlib.h>
#include <string.h>

/* torch 2.6 has a flag for it; later versions have an action for the frame. */
static bool run_only(PyObject *result)
{
	PyObject *flag = attrs_get(ATTR_LIMIT_FLAG);
	bool flagged = flag && flag == result;
	PyObject *strategy = attr(result, "frame_exec_strategy"), *action = attr(strategy, "cur_action");
	PyObject *name = attr(action, "name");
	bool yes = name && PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, "RUN_ONLY");

	PyErr_Clear();
	Py_XDECREF(name);
	Py_XDECREF(action);
	Py_XDECREF(strategy);
	Py_XDECREF(flag);
	return yes || flagged;
}

/* exceeds_recompile_limit(...): (reached, name), while the options of torch.compile() are in effect. */
static void limit_checked(struct call *call)
{
	static const enum attr_id each[] = { ATTR_LIMIT, ATTR_LIMIT_ALL, ATTR_LIMIT_OLD, ATTR_LIMIT_ALL_OLD };
	static const char *const names[] = { "recompile_limit", "accumulated_recompile_limit", "cache_size_limit",
					     "accumulated_cache_size_limit" };
	struct compiling *c = compiling_top();
	PyObject *r = call->result, *name;
	const char *s;
	size_t i;

	if (!c || !r || !PyTuple_Check(r) || PyTuple_GET_SIZE(r) != 2 || PyTuple_GET_ITEM(r, 0) != Py_True)
		return;
	name = PyTuple_GET_ITEM(r, 1);
	s = PyUnicode_Check(name) ? py_text_utf8(name) : NULL;
	for (i = 0; s && i < sizeof(each) / sizeof(*each) && strcmp(s, names[i]) != 0; i++)
		;
	if (!s || i == sizeof(each) / sizeof(*each))
		return;
	free(c->parts.limit);
	c->parts.limit = mem_str(s);
	c->parts.limit_value = attrs_number(each[i]);
}

const struct watcher watch_limit = { .after = limit_checked };

/* A limit that is not that of the configuration is an option of torch.compile(). */
static char *limit_text(const char *which, long limit, bool raises)
{
	bool option = !strcmp(which, "recompile_limit") && limit != attrs_number(ATTR_LIMIT);

	return mem_fmt("%s (%ld%s) reached: calls that match no entry %s", which, limit,
		       option ? ", an option of torch.compile" : "",
		       raises ? "raise an exception" : "run in eager mode");
}

bool ev_limit_emit(struct compiling *c, PyObject *code, PyObject *result)
{
	struct entry **tried;
	struct func *f;
	struct val *map;
	const char *which;
	long limit;
	int n;

	f = !result || run_only(result) ? model_func((PyCodeObject *)code, false) : NULL;
	if (!f)
		return false;
	n = model_tried(f, &tried);
	free(tried);
	which = c->parts.limit ? c->parts.limit : "recompile limit";
	limit = c->parts.limit_value;
	c->func = f;
	f->seen.looked = true;
	f->seen.skips += result != NULL;
	free(f->seen.reason);
	f->seen.reason = limit_text(which, limit, !result);
	if (!host->stops.catching("limit"))
		return true;
	map = val_map();
	val_put(map, "function", val_str(f->name));
	val_put(map, "file", val_str(f->file));
	val_put(map, "line", val_int(f->line));
	val_put(map, "limit", val_int(limit));
	val_put(map, "option", val_str(which));
	val_put(map, "entries", val_int(n));
	val_put(map, "reason", val_str(c->parts.why));
	compiling_event(&ev_limit, c, 0, NULL, map, NULL, NULL);
	return true;
}

static void limit_describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();

	(void)ev;
	buf_addf(out, "%s: %s", c && c->func ? qualname_compiling(c) : "?",
		 c && c->func && c->func->seen.reason ? c->func->seen.reason : "recompile limit reached");
}

const struct event_kind ev_limit = {
	.name = "limit",
	.args = "[FUNC]",
	.help = "the recompile limit is reached: from now on calls that match no entry run in eager mode",
	.matches = compiling_matches,
	.describe = limit_describe,
};
