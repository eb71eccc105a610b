/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen as commands see it: a front end that has one sets it.  Knows no terminal. */
#ifndef CDBG_SCREEN_H
#define CDBG_SCREEN_H
#include <stdbool.h>

struct buf;
struct err;
struct session;
struct val;

struct screen_ops {
	/* One verb ("layout", "focus", "scroll", ...) with the rest of its line; what there is to say goes to out.
	   Any thread: it waits until the screen has done it. */
	int (*run)(const char *verb, const char *args, struct buf *out, struct err *err);
	/* What may stand behind a verb ("pane", "layout"): strings. */
	void (*names)(const char *what, struct val *list);
	/* The stopped thread: the screen is left, and another program may have its terminal, a descriptor of the
	   caller's; -1: it has that already.  false: the screen comes back. */
	int (*lend)(bool on);
};

void screen_set(const struct screen_ops *ops);       /* NULL: there is none (any more) */
const struct screen_ops *screen_get(void);
/* screen_get()->run, or an error that says how to get a full screen. */
int screen_run(const char *verb, const char *args, struct buf *out, struct err *err);
/* screen_get()->lend, -1 where there is none. */
int screen_lend(bool on);
/* How `tui enable` makes one where there is none, and `tui disable` ends it; set by who joins the front ends. */
struct screen_switch {
	int (*enable)(struct session *s, struct err *err);
	int (*disable)(struct session *s, struct err *err);
};
void screen_set_switch(const struct screen_switch *sw);
int screen_enable(struct session *s, struct err *err);
int screen_disable(struct session *s, struct err *err);
/* An option of the screen's has a new value: all of them are told to it. */
void screen_option_changed(struct session *s);

#endif
