/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: python. */
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/session.h"
#include "py/interp/eval.h"
#include "py/value/value.h"

static int cmd_python_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct py_obj *v = NULL;
	struct scope sc;
	int ret;

	if (session_scope(s, &sc, err) < 0)
		return -1;
	if (*args == '\n') /* a block */
		args++;
	ret = eval_exec(args, &sc, &v, err);
	if (!ret && v) {
		ret = cmd_value(s, v, out, err);
		buf_addc(&out->text, '\n');
	}
	py_unref(v);
	return ret;
}

const struct cmd_def cmd_python[] = {
	{ .name = "python",
	  .alias = "py",
	  .args = "[STATEMENT]",
	  .group = GROUP_CHANGE,
	  .run = cmd_python_run,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES | CMD_BLOCK_BARE | CMD_RAW,
	  .help = "execute Python in the selected frame; without a statement: lines up to 'end'" },
	{ .name = NULL },
};
