/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines at a stop, several of them in one input; the last one is completed, too. */
#include "fuzz.h"
#include <ctype.h>
#include "base/err.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "engine/session.h"
#include "ui/json/val_json.h"
#include "view/view.h"

/* What writes files, reads devices, starts processes or may run for ever is no part of the parser. */
static bool harmless(struct session *s, const char *line)
{
	static const char *const never[] = { "source", "save", "tty", "restart", "kill", "python" };
	const struct cmd_def *c;
	struct buf word = { 0 };
	const char *args = line;
	bool good;
	size_t i;

	line += strspn(line, " \t\r");
	good = !strstr(line, "**") && !strstr(line, "<<") && !strstr(line, "for") && !strstr(line, "*9") &&
	       !strstr(line, "log") && !strstr(line, "out");
	for (i = 0; line[i] && (isalnum((unsigned char)line[i]) || line[i] == '-'); i++)
		;
	buf_add(&word, line, i);
	c = *buf_str(&word) ? cmd_find(buf_str(&word), NULL) : NULL;
	for (i = 0; c && i < sizeof(never) / sizeof(*never); i++)
		if (!strcmp(c->name, never[i]))
			good = false;
	if (good && cmd_is_python(s, args) && !cmd_gathering(s))
		good = strlen(line) < 60;
	buf_release(&word);
	return good;
}

static void run(struct session *s, const char *line)
{
	struct reply r = { .rows = NULL };
	struct err err = { "" };
	struct buf text = { 0 };

	if (cmd_execute(s, line, &r, &err) < 0)
		HOLDS(*err.text);
	if (r.rows) {
		view_text(s, r.rows, &text);
		json_add_rows(&text, r.rows);
	}
	reply_release(&r);
	buf_release(&text);
	s->resume = RESUME_NONE;
}

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
		if (harmless(s, line)) {
			run(s, line);
			complete(s, line);
		}
	cmd_gather_drop(s);
	while ((line = session_unqueue(s)))
		free(line);
	run(s, "delete");
	run(s, "undisplay");
	run(s, "frame 0");
	free(text);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;
