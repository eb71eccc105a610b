/* SPDX-License-Identifier: BSD-3-Clause */
/* Which front end the session has: chosen at the start, and by `tui enable` and `tui disable`.  The only file that
   knows more than one of them. */
#include "front_ends.h"
#include <fcntl.h>
#include <stdio.h>
#include "engine/screen.h"
#include "ui/args.h"
#include "ui/front.h"

static struct front_ops front; /* a copy of the chosen one, with release_front() as its release */
static void (*own_release)(struct session *s);
static void (*fronts_released)(struct session *s);

static void release_front(struct session *s)
{
	own_release(s);
	fronts_released(s);
}

static void choose_front(const struct front_ops *ops)
{
	front = *ops;
	own_release = ops->release;
	front.release = release_front;
}

static int enable_screen(struct session *s, struct err *err)
{
	own_release(s);
	if (front_tui_open(true, err) < 0)
		return -1;
	choose_front(&front_tui);
	session_change_front(s);
	return 0;
}

static int disable_screen(struct session *s, struct err *err)
{
	own_release(s);
	choose_front(&front_plain);
	session_change_front(s);
	return front_plain_open(true, err);
}

static const struct screen_switch screens = { .enable = enable_screen, .disable = disable_screen };

const struct front_ops *front_ends_choose(const struct args *a, void (*released)(struct session *s))
{
	fronts_released = released;
	choose_front(a->report ? &front_report : a->json ? &front_json : &front_plain);
	screen_set_switch(a->json || a->report ? NULL : &screens);
	return &front;
}

int front_ends_open(const struct args *a, struct err *err)
{
	int tty;

	if (a->report)
		return front_report_open(a->report, a->report_blame, err);
	if (a->json)
		return front_json_open(a->json_fd, err);
	if (a->script_in) { /* a person has the terminal; without one there are no more commands than -x and -ex */
		tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (tty >= 0)
			front_plain_input(tty);
	}
	if (front_wants_screen(a)) {
		if (front_tui_open(a->quiet, err) == 0) {
			choose_front(&front_tui);
			return 0;
		}
		dprintf(2, "cdbg: no full screen: %s\n", err->text);
	}
	return front_plain_open(a->quiet, err);
}
