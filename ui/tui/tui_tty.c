/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves the screen to another terminal: the program keeps the one that it was started on, as its own. */
#include "config.h"
#include "base/err.h"
#include "ui/tui/exit_restore.h"
#include "ui/output/progtty.h"
#include "ui/term/terminal.h"
#include "ui/tui/tui.h"

static int take_tty(const char *device, struct err *err)
{
	if (term_can(device, err) < 0)
		return -1;
	if (term_open(err) < 0) {
		term_close_device();
		return -1;
	}
	return 0;
}

int tui_tty(struct tui *t, const char *device, struct err *err)
{
	struct err lost;

	progtty_drain(1 << 20);
	term_close();
	if (take_tty(device, err) < 0) {
		if (take_tty(NULL, &lost) < 0) /* no terminal is left */
			t->bye = true;
		t->screen.repaint = t->screen.dirty = true;
		return -1;
	}
	exit_restore_guard_again();
	t->terminal.elsewhere = true;
	tui_theme(t);
	tui_background_ask(t);
	t->screen.repaint = t->screen.dirty = true;
	return 0;
}
