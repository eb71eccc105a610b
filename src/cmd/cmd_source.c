/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: source. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/table.h"
#include "engine/session.h"

/* The lines run next, before anything else that waits, in their order. */
static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	char **lines = NULL, *line = NULL;
	size_t n = 0, cap = 0, room = 0;
	ssize_t len;
	FILE *f;

	(void)out;
	if (!*args)
		return err_set(err, "source which file?");
	f = fopen(args, "re");
	if (!f)
		return err_set(err, "cannot read '%s': %s", args, strerror(errno));
	while ((len = getline(&line, &room, f)) >= 0) {
		while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = '\0';
		lines = mem_grow(lines, &cap, n + 1, sizeof(*lines));
		lines[n++] = cmd_line(line, (size_t)len);
	}
	free(line);
	fclose(f);
	while (n) {
		session_queue(s, lines[--n], true);
		free(lines[n]);
	}
	free(lines);
	return 0;
}

const struct cmd_def cmd_source[] = {
	{ .name = "source", .args = "FILE", .group = GROUP_SUPPORT, .flags = CMD_AFTER_EXIT | CMD_RAW, .run = run,
	  .help = "run the command lines of a file",
	  .more = "Lines that begin with # are comments.  A line that fails is told and the rest goes on." },
	{ .name = NULL }
};
