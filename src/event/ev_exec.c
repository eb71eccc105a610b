/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: another program is about to be executed, in this process or in a child. */
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "event/event_table.h"

/* By the program's path as given, or its last part. */
static bool exec_matches(const struct event *ev, const char *words)
{
	const char *program = ev->detail ? val_text(ev->detail, "program") : "";
	const char *slash = strrchr(program, '/');

	return !*words || !strcmp(program, words) || (slash && !strcmp(slash + 1, words));
}

static void exec_describe(const struct event *ev, struct buf *out)
{
	if (ev->detail)
		buf_addf(out, "exec of %s, by %s", val_text(ev->detail, "program"), val_text(ev->detail, "call"));
	else
		buf_adds(out, "exec");
}

const struct event_kind ev_exec = {
	.name = "exec",
	.args = "[PROGRAM]",
	.help = "os.exec*, os.posix_spawn, os.system or subprocess is about to execute a program",
	.matches = exec_matches,
	.describe = exec_describe,
};
