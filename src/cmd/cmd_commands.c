/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: commands ... end. */
#include <stdlib.h>
#include <string.h>
#include "cmd/bp_numbers.h"
#include "cmd/cmd_table.h"
#include "engine/bp.h"

/* Lines, each after a newline, as bp_set_commands() takes them; NULL: no lines. */
static char **split_lines(const char *text)
{
	char **lines = NULL;
	size_t n = 0, cap = 0, len;

	while (*text == '\n') {
		text++;
		len = strcspn(text, "\n");
		lines = mem_grow(lines, &cap, n + 2, sizeof(*lines));
		lines[n++] = mem_strn(text, len);
		lines[n] = NULL;
		text += len;
	}
	return lines;
}

static struct bp *bp_numbered(struct session *s, const char *args, size_t len, struct err *err)
{
	char *which;
	struct bp *b;

	while (len && (args[len - 1] == ' ' || args[len - 1] == '\t'))
		len--;
	which = mem_strn(args, len);
	b = bp_named(s, which, err);
	free(which);
	return b;
}

static int cmd_commands_begin(struct session *s, const char *args, struct err *err)
{
	struct bp *b = bp_numbered(s, args, strlen(args), err);

	if (b && b->log)
		return err_set(err, "logpoint %d does not stop, so it has no commands: 'break' sets a breakpoint",
			       b->number);
	return b ? 0 : -1;
}

/* args: "N\nline\nline". */
static int cmd_commands_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	size_t len = strcspn(args, "\n");
	struct bp *b = bp_numbered(s, args, len, err);
	char **lines;

	if (!b)
		return -1;
	lines = split_lines(args + len);
	bp_set_commands(b, lines);
	if (!lines)
		buf_addf(&out->text, "%d now has no commands\n", b->number);
	return 0;
}

const struct cmd_def cmd_commands[] = {
	{ .name = "commands",
	  .args = "[N]",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_BLOCK,
	  .complete = bp_complete_one,
	  .begin = cmd_commands_begin,
	  .run = cmd_commands_run,
	  .help = "set the commands that run each time a breakpoint stops",
	  .more = "One command a line, up to 'end'.  Without N: for the breakpoint set last.  If the\n"
		  "first line is 'silent', the stop itself is not shown; the last line may be\n"
		  "'continue'.  A line 'python' begins a nested block." },
	{ .name = NULL },
};
