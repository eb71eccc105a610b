/* SPDX-License-Identifier: BSD-3-Clause */
/* View: how cdbg runs and how it controls the program.  Knows plugins by name only. */
#include "config.h"
#include "base/buf.h"
#include "base/val.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "py/interp/interp.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "what", .help = "cdbg, CPython, control, interpreters, tool, plugin" },
	{ .name = "value", .help = "its version, its name, or how it works" },
	{ .name = NULL },
};

static void cdbg_fact(struct rows *out, const struct view_req *req, const char *what, const char *value)
{
	if (!rows_want(out, req))
		return;
	rows_add(out, 0);
	rows_str(out, "what", ROLE_NAME, what);
	rows_str(out, "value", ROLE_VALUE, value);
}

static int view_cdbg_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct buf b = { 0 };
	const char *name;
	int i;

	(void)err;
	cdbg_fact(out, req, "cdbg", PACKAGE_VERSION);
	cdbg_fact(out, req, "CPython", host_version());
	hook_describe(&b);
	cdbg_fact(out, req, "control", buf_str(&b));
	if (interp_others()) {
		buf_reset(&b);
		buf_addf(&b,
			 "%d besides the main one; their frames run without cdbg, which debugs the main "
			 "interpreter only",
			 interp_others());
		cdbg_fact(out, req, "interpreters", buf_str(&b));
	}
	for (i = 0; hook_tool(i, &b); i++)
		if (b.len)
			cdbg_fact(out, req, "tool", buf_str(&b));
	for (i = 0; (name = plug_name(s, i)); i++)
		cdbg_fact(out, req, "plugin", name);
	buf_release(&b);
	return 0;
}

const struct view_ops view_cdbg = {
	.name = "cdbg",
	.help = "versions, how cdbg controls the program, and other tools that watch it",
	.cols = cols,
	.fill = view_cdbg_fill,
};
