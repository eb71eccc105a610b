/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of the full screen and the command lines they run.  Knows no terminal. */
#include "engine/keys.h"
#include "view/view.h"

static int view_keys_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct key_binding k;
	size_t i;

	(void)s;
	(void)err;
	for (i = 0; keys_at(i, &k); i++) {
		if (!*k.line || !rows_want(out, req))
			continue;
		rows_add(out, k.user ? MARK_CHANGED : 0);
		rows_str(out, "key", ROLE_NAME, k.key);
		rows_str(out, "where", ROLE_DIM, keys_where_name(k.where));
		rows_str(out, "command", ROLE_TEXT, k.line);
		rows_str(out, "help", ROLE_DIM, k.help);
	}
	return 0;
}

static const struct view_col cols[] = {
	{ .name = "key", .help = "name of the key, as bind accepts it" },
	{ .name = "where", .help = "pane: while a pane has the focus; line: on the command line; all: both" },
	{ .name = "command", .help = "the command line that it runs" },
	{ .name = "help", .help = "what the command does" },
	{ .name = NULL },
};

const struct view_ops view_keys = {
	.name = "keys",
	.help = "keys of the full screen, and what they do",
	.cols = cols,
	.gone = true,
	.fill = view_keys_fill,
	.none = "no keys",
};
