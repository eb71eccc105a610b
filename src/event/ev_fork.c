/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: the program is about to fork. */
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "event/event_table.h"

static bool fork_matches(const struct event *ev, const char *words)
{
	(void)ev;
	(void)words;
	return true;
}

static int fork_check(const char *words, struct err *err)
{
	return *words ? err_set(err, "'catch fork' takes no arguments; 'if COND' adds a condition") : 0;
}

static void fork_describe(const struct event *ev, struct buf *out)
{
	buf_addf(out, "fork, by %s", ev->detail ? val_text(ev->detail, "call") : "os.fork");
}

const struct event_kind ev_fork = {
	.name = "fork",
	.args = "",
	.help = "os.fork or os.forkpty is about to make a child process",
	.matches = fork_matches,
	.check = fork_check,
	.describe = fork_describe,
};
