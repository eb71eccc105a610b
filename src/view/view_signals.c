/* SPDX-License-Identifier: BSD-3-Clause */
/* View: what happens when a signal arrives, as `handle` set it. */
#include "base/signame.h"
#include "base/err.h"
#include "base/val.h"
#include "engine/procs.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "signal", .help = "its name" },
	{ .name = "number", .help = "its number" },
	{ .name = "stop", .help = "the program stops at it; null: cdbg cannot catch the signal" },
	{ .name = "print", .help = "a message reports it" },
	{ .name = "pass", .help = "the program receives it" },
	{ .name = "description", .help = "its meaning, or why cdbg cannot catch it" },
	{ .name = NULL },
};

static int view_signals_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct disposition d;
	const char *why;
	int only = 0, sig, n;

	(void)s;
	if (req->words && *req->words && !(only = signame_number(req->words)))
		return err_set(err, "unknown signal '%s'; 'info signals' lists them", req->words);
	for (n = 0; (sig = procs_signal_at(n)); n++) {
		if ((only && sig != only) || !rows_want(out, req))
			continue;
		d = procs_disposition(sig);
		why = signame_uncatchable(sig);
		rows_add(out, 0);
		rows_str(out, "signal", ROLE_NAME, signame_name(sig));
		rows_int(out, "number", sig);
		if (!why) {
			rows_bool(out, "stop", d.stop);
			rows_bool(out, "print", d.print);
			rows_bool(out, "pass", d.pass);
		}
		rows_str(out, "description", ROLE_DIM, why ? why : signame_help(sig));
	}
	return 0;
}

static const char *const more[] = { "handle {signal} stop", "handle {signal} nostop", "handle {signal} pass",
				    "handle {signal} nopass", NULL };

const struct view_ops view_signals = {
	.name = "signals",
	.alias = "handle",
	.args = "[SIGNAL]",
	.help = "what happens when a signal arrives",
	.cols = cols,
	.fill = view_signals_fill,
	.more = more,
};
