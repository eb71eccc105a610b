/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen as commands see it; the front end that has one registers it.  Knows no terminal. */
#ifndef CDBG_SCREEN_H
#define CDBG_SCREEN_H
#include <stdbool.h>

struct buf;
struct err;
struct session;
struct val;

struct screen_ops {
	/* Run a verb ("layout", "focus", "scroll", ...) with the rest of its line; its answer is added to out.  Any
	   thread: waits until the screen has done it. */
	int (*run)(const char *verb, const char *args, struct buf *out, struct err *err);
	/* Possible arguments of a verb ("pane", "layout"): strings. */
	void (*names)(const char *what, struct val *list);
	/* Called by the stopped thread. true: leave the screen and return a descriptor of its terminal for another
	   program, owned by the caller; -1: it has the terminal already. false: show the screen again. */
	int (*lend)(bool on);
};

void screen_set(const struct screen_ops *ops); /* NULL: there is none */
const struct screen_ops *screen_get(void);
/* screen_get()->run, or an error that says how to get a full screen. */
int screen_run(const char *verb, const char *args, struct buf *out, struct err *err);
/* screen_get()->lend, -1 where there is none. */
int screen_lend(bool on);
/* How `tui enable` starts the full screen and `tui disable` ends it; set by module.c. */
struct screen_switch {
	int (*enable)(struct session *s, const char *where, struct err *err); /* where: "", or what a rank is sent */
	int (*disable)(struct session *s, struct err *err);
	/* On the screen of a rank: asks for that of another one.  NULL elsewhere. */
	int (*rank)(long n, struct err *err);
};
void screen_set_switch(const struct screen_switch *sw);
int screen_enable(struct session *s, const char *where, struct err *err);
int screen_disable(struct session *s, struct err *err);
int screen_rank(const char *number, struct err *err);
/* An option of the screen has changed: pass all of them to it. */
void screen_option_changed(struct session *s);

#endif
