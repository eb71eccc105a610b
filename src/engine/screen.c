/* SPDX-License-Identifier: BSD-3-Clause */
/* How commands reach the full screen.  Knows no terminal. */
#include "engine/screen.h"
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/option.h"

static const struct screen_ops *screen;
static const struct screen_switch *screen_maker;

void screen_set(const struct screen_ops *ops)
{
	screen = ops;
}

const struct screen_ops *screen_get(void)
{
	return screen;
}

int screen_run(const char *verb, const char *args, struct buf *out, struct err *err)
{
	if (!screen)
		return err_set(err, "there is no full screen here: 'tui enable' on a terminal makes one");
	return screen->run(verb, args, out, err);
}

int screen_lend(bool on)
{
	return screen ? screen->lend(on) : -1;
}

void screen_set_switch(const struct screen_switch *sw)
{
	screen_maker = sw;
}

int screen_enable(struct session *s, const char *where, struct err *err)
{
	if (screen && where[strspn(where, " \t")])
		return err_set(err, "the screen is shown already");
	if (screen)
		return 0;
	if (!screen_maker)
		return err_set(err, "this front end has no full screen: start cdbg on a terminal, without --json");
	return screen_maker->enable(s, where, err);
}

int screen_rank(const char *number, struct err *err)
{
	long n;

	if (!screen || !screen_maker || !screen_maker->rank)
		return err_set(err, "this is not the screen of a rank: 'cdbg --ranks' has one");
	number += strspn(number, " \t");
	if (!text_is_number(number, 0, INT_MAX, &n))
		return err_set(err, "invalid rank '%s': expected a number", number);
	return screen_maker->rank(n, err);
}

int screen_disable(struct session *s, struct err *err)
{
	if (!screen)
		return err_set(err, "there is no full screen here");
	return screen_maker->disable(s, err);
}

void screen_option_changed(struct session *s)
{
	struct buf out = { 0 };
	char number[24];
	struct err err;

	if (!screen)
		return;
	screen_run("color", option_text(s, "color"), &out, &err);
	screen_run("theme", option_text(s, "theme"), &out, &err);
	snprintf(number, sizeof(number), "%ld", option_number(s, "history-size"));
	screen_run("history-size", number, &out, &err);
	screen_run("hints", option_number(s, "hints") ? "on" : "off", &out, &err);
	screen_run("mouse", option_number(s, "mouse") ? "on" : "off", &out, &err);
	screen_run("output-color", option_number(s, "output-color") ? "on" : "off", &out, &err);
	screen_run("watchdog", option_number(s, "watchdog") ? "on" : "off", &out, &err);
	buf_release(&out);
}
