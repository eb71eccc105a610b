/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: commands ... end. */
#include <stdlib.h>
#include <string.h>
#include "cmd/numbers.h"
#include "cmd/table.h"
#include "engine/bp.h"

/* "N\nline\nline": the lines as bp_set_commands() takes them; NULL when there are none. */
static char **split_lines(const char *text)
{
	char **lines = NULL;
	size_t n = 0, cap = 0, len;

	while (*text == '\n') {
		text++;
		len = strcspn(text, "\n");
		if (strspn(text, " \t") < len) {
			lines = mem_grow(lines, &cap, n + 2, sizeof(*lines));
			lines[n++] = mem_strn(text + strspn(text, " \t"), len - strspn(text, " \t"));
			lines[n] = NULL;
		}
		text += len;
	}
	return lines;
}

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	size_t len = strcspn(args, "\n");
	char *which = mem_strn(args, len);
	char **lines;
	struct bp *b;
	size_t n = len;

	while (n && (which[n - 1] == ' ' || which[n - 1] == '\t'))
		which[--n] = '\0';
	b = bp_named(s, which, err);
	free(which);
	if (!b)
		return -1;
	lines = split_lines(args + len);
	bp_set_commands(b, lines);
	if (!lines)
		buf_addf(&out->text, "%d has no commands now\n", b->number);
	return 0;
}

const struct cmd_def cmd_commands[] = {
	{ .name = "commands", .args = "[N]", .group = GROUP_BREAK, .flags = CMD_AFTER_EXIT | CMD_BLOCK,
	  .complete = bp_complete_number, .run = run,
	  .help = "commands that run at each stop of a breakpoint, one a line, up to 'end'",
	  .more = "Without N: of the one made last.  A first line 'silent' keeps the stop itself\n"
		  "from being shown; the last may be 'continue'." },
	{ .name = NULL }
};
