/* SPDX-License-Identifier: BSD-3-Clause */
/* The card of a stop at a graph break: line, torch's message, the size of the graph so far.  Made from the detail of
   the event alone. */
#include "event/dynamo_event.h"
#include "torch/py_text.h"
#include <string.h>

/* torch's message: what broke the graph, the first line of the explanation, the hints, then the rest, because a small
   screen shows the first lines only.  Leaves out what is meant for torch's own developers. */
static void add_explanation(const char *reason, struct buf *out)
{
	struct buf rest = { 0 };
	struct buf *to = out;
	size_t n, lead;
	const char *s;

	for (s = reason; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		lead = strspn(s, " ");
		if (!strncmp(s + lead, "Developer debug context", 23) || !strncmp(s + lead, "For more details", 16))
			break;
		if (!strncmp(s + lead, "Hint:", 5))
			to = out;
		if (lead < n)
			buf_addf(to, "\n%.*s", (int)n, s);
		if (!strncmp(s + lead, "Explanation:", 12))
			to = &rest;
	}
	buf_adds(out, buf_str(&rest));
	buf_release(&rest);
}

void graph_break_card(const struct event *ev, struct buf *out)
{
	const struct val *stack = val_get(ev->detail, "stack"), *outer = NULL;
	const char *file = val_text(ev->detail, "file"), *text;
	long long line = val_number(ev->detail, "line", 0);
	bool skipped = !strcmp(val_text(ev->detail, "state"), "skipped");

	if (!line)
		return;
	text = host->files.line(file, (int)line);
	buf_addf(out, "graph break at %s:%lld", py_text_file_name(file), line);
	if (text && *text)
		buf_addf(out, ": %s", text + strspn(text, " \t"));
	if (stack && stack->type == VAL_LIST && stack->u.list.n > 1)
		outer = stack->u.list.item[0];
	if (outer && !strcmp(val_text(outer, "file"), file))
		buf_addf(out, " (inlined from line %lld)", val_number(outer, "line", 0));
	else if (outer)
		buf_addf(out, " (inlined from %s:%lld)", py_text_file_name(val_text(outer, "file")),
			 val_number(outer, "line", 0));
	if (skipped)
		buf_addf(out, "\nBecause of it Dynamo compiles nothing of %s: the whole function runs in eager mode.",
			 val_text(ev->detail, "function"));
	add_explanation(val_text(ev->detail, "reason"), out);
	if (!skipped && val_get(ev->detail, "nodes") && val_get(ev->detail, "nodes")->type == VAL_INT)
		buf_addf(out, "\nThe graph has %lld nodes so far; 'info breaks' shows all breaks.",
			 val_number(ev->detail, "nodes", 0));
}
