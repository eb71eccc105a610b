/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines at a stop, several of them in one input; the last one is completed, too. */
#include "fuzz.h"
#include "base/err.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "engine/session.h"

static void complete(struct session *s, const char *line)
{
	struct val *list = val_list();
	const char *at = cmd_complete(s, line, list);

	HOLDS(at >= line && at <= line + strlen(line));
	val_free(list);
}

static int at_stop(struct session *s, const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text, *line;
	int lines = 0;

	while ((line = strsep(&rest, "\n")) && lines++ < 12)
		if (fuzz_harmless(s, line)) {
			fuzz_run(s, line);
			complete(s, line);
		}
	cmd_gather_drop(s);
	while ((line = session_unqueue(s)))
		free(line);
	fuzz_run(s, "delete");
	fuzz_run(s, "undisplay");
	fuzz_run(s, "frame 0");
	free(text);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;
