/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: an exception raised in a watched frame or passing through it, and one that nobody caught. */
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "event/event_table.h"
#include "py/value/value.h"

/* catch exception [TYPE]: the type or one of its bases has that name. */
static bool exception_matches(const struct event *ev, const char *words)
{
	if (*words)
		return value_type_named(ev->type, words);
	/* exceptions that end loops and generators are caught only by name */
	return !value_type_named(ev->type, "StopIteration") && !value_type_named(ev->type, "StopAsyncIteration") &&
	       !value_type_named(ev->type, "GeneratorExit");
}

static void exception_describe(const struct event *ev, struct buf *out)
{
	struct buf message = { 0 };
	const char *type;
	size_t n;

	type = ev->exc ? value_type(ev->exc) : ev->detail ? val_text(ev->detail, "type") : "";
	buf_addf(out, "%s%s%s", ev->dead ? "uncaught exception" : "exception", *type ? " " : "", type);
	if (ev->exc && value_str(ev->exc, &message, 200, NULL) == 0 && message.len) {
		n = strcspn(message.s, "\n");
		buf_adds(out, ": ");
		buf_add(out, message.s, n);
		if (n < message.len)
			buf_adds(out, " ...");
	}
	if (ev->dead)
		buf_adds(out, " (frames have exited; read-only)");
	buf_release(&message);
}

/* A message of several lines, or a long one; shorter ones are shown in the line of the stop. */
static void exception_card(const struct event *ev, struct buf *out)
{
	enum { MESSAGE_MAX = 4000, SHORT = 60 };
	struct buf message = { 0 };

	if (ev->exc && value_str(ev->exc, &message, MESSAGE_MAX, NULL) == 0 &&
	    (message.len > SHORT || strchr(buf_str(&message), '\n')))
		buf_addf(out, "%s%s: %s", ev->dead ? "uncaught " : "", value_type(ev->exc), message.s);
	buf_release(&message);
}

const struct event_kind ev_exception = {
	.name = "exception",
	.args = "[TYPE]",
	.help = "an exception is raised in generated code or in the program's code, or passes through it",
	.matches = exception_matches,
	.describe = exception_describe,
	.card = exception_card,
};
