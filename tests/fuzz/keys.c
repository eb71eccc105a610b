/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of the terminal as keys: escape sequences, UTF-8, mouse reports, pasted text, in any order. */
#include "fuzz.h"
#include "ui/line/input.h"

static void check(const struct key *k)
{
	HOLDS(memchr(k->name, '\0', sizeof(k->name)));
	HOLDS(k->bytes && strlen(k->bytes) <= k->nbytes);
	if (k->type == KEY_PASTE)
		HOLDS(k->text && k->text[k->ntext] == '\0');
	else
		HOLDS(k->nbytes && k->nbytes < sizeof(((struct input *)0)->bytes));
	if (k->type == KEY_CHAR)
		HOLDS(k->c <= 0x10ffff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { 0 };
	struct key k;
	size_t i;

	for (i = 0; i < size; i++) {
		if (data[i] == 0xff) { /* a pause: a lone ESC is a key then */
			if (input_pending(&in) && input_flush(&in, &k))
				check(&k);
			HOLDS(!input_pending(&in));
		} else if (input_byte(&in, data[i], &k)) {
			check(&k);
		}
	}
	input_release(&in);
	return 0;
}
