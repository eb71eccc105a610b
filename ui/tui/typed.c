/* SPDX-License-Identifier: BSD-3-Clause */
/* A short text that is typed at the bottom line.  Knows no screen. */
#include "ui/tui/typed.h"
#include <string.h>

enum { PASTE_MAX = 200 };

bool typed_key(struct buf *text, const struct key *k)
{
	size_t had = text->len, n;

	if (!strcmp(k->name, "Backspace")) {
		if (text->len)
			text->len = text_whole(text->s, text->len - 1);
		if (text->s)
			text->s[text->len] = '\0';
	} else if (k->type == KEY_PASTE) {
		n = strcspn(k->text, "\r\n");
		n = n < PASTE_MAX ? n : text_whole(k->text, PASTE_MAX);
		buf_add(text, k->text, n);
	} else if (k->type == KEY_CHAR && k->c >= 32 && k->c != 127) {
		buf_add(text, k->bytes, k->nbytes);
	}
	return text->len != had;
}
