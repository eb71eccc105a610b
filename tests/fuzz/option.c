/* SPDX-License-Identifier: BSD-3-Clause */
/* Options: "NAME VALUE" as after `set` and in rc files.  The value that an option shows can be set again. */
#include "fuzz.h"
#include "base/err.h"
#include "engine/option.h"

static int at_stop(struct session *s, const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *value = text, *name = strsep(&value, " ");
	const struct option_def *d;
	struct err err = { "" };
	char now[1100];
	int ret;

	ret = option_set(s, name, value ? value : "", &err);
	d = option_find(s, name, NULL);
	if (ret < 0)
		HOLDS(*err.text);
	if (d) {
		option_value(s, d, now, sizeof(now));
		HOLDS(option_set(s, d->name, now, &err) == 0);
	}
	free(text);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;
