/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen: how its files share the work.  All of it runs on the UI thread, which never takes the GIL;
   tui_state.h has its data.  tui.c says what the stopped thread does. */
#ifndef CDBG_TUI_H
#define CDBG_TUI_H
#include "ui/tui/tui_state.h"

/* ---- tui_place.c: rectangles */
const char *tui_past(const struct tui *t);  /* what says that the past is shown; NULL: the present is */
void tui_place(struct tui *t);		    /* sizes or layout changed: compute rectangles again */
void tui_place_output(struct tui *t);	    /* ... if the height of the output pane must change */
int tui_line_rows(const struct tui *t);	    /* height of the command area */
int tui_hint_rows(const struct tui *t);	    /* height of the row of hints: 1 or 0 */
bool tui_small(const struct tui *t);	    /* no room for panes */
bool tui_small_screen(const struct tui *t); /* room for panes, but not for all at their best */

/* ---- paint.c: the whole screen into cells, and on the terminal */
void tui_paint(struct tui *t);

/* ---- tui_panes.c: which panes there are, and which has the focus */
void tui_add_pane(struct tui *t, struct pane *p);	/* takes p */
struct pane *tui_pane(struct tui *t, const char *name); /* exact or unambiguous prefix; NULL */
void tui_views(struct tui *t, const struct view_ops **views);
int tui_layout(struct tui *t, const char *name, struct err *err);
void tui_focus(struct tui *t, struct pane *p);
void tui_focus_step(struct tui *t, int by);
void tui_slot_step(struct tui *t, int by);
void tui_follow(struct tui *t);		  /* another frame is selected: what is current is followed again */
void tui_stale(struct tui *t, bool stop); /* rows are old; stop: a new stop, what is current is followed again */

/* ---- hints.c: the row that names the keys of what has the focus */
void tui_hints_draw(struct tui *t, int y);

void tui_row_text(const struct pane *p, struct buf *out); /* a line for each of its cells */
int tui_detail_draw(struct tui *t, struct rect r);	  /* at the bottom of r; the rows that it took */

/* ---- requests.c: what belongs with the row of the cursor, as the stopped thread knows it */
bool tui_links_wanted(const struct tui *t); /* must it be requested, or is the request not answered yet? */
bool tui_links_ask(struct tui *t);	    /* true: a request was posted */
void tui_links_take(struct tui *t, struct answer *a);

/* ---- messages.c: the command area's text */
void tui_say(struct tui *t, enum style style, const char *text); /* lines */
void tui_sayf(struct tui *t, enum style style, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void tui_echo(struct tui *t, const char *line, const char *more); /* a command line as it was typed */
/* Draws the messages into r, the newest at the bottom. */
void tui_said_draw(struct tui *t, struct rect r);
void tui_last(struct tui *t, bool failed, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- tui_keys.c: keys */
void tui_key(struct tui *t, const struct key *k);
void tui_complete(struct tui *t); /* the command line, as Tab does */
void tui_ask_question(struct tui *t, const char *question);
/* The line moves in a pane, or from one to another: nothing of the program, and nothing that is set in it, changes. */
bool tui_only_looks(const char *line);
/* typing.c: how many of the n bytes that wait are a command or a paste that reached a pane, instead of single keys. */
size_t tui_burst(struct tui *t, const char *s, size_t n);
/* The milliseconds for which the key that was read waits: letters that follow at once make it a text. */
long tui_letter_wait(const struct tui *t);
/* Run a command line: the screen's own at once, others when the program is stopped. */
void tui_command(struct tui *t, const char *line, bool quiet);

/* ---- verbs.c, verbs_layout.c, verbs_row.c: what commands do with the screen */
struct verb {
	const char *name; /* NULL: the table ends */
	int (*run)(struct tui *t, const char *args, struct buf *out, struct err *err);
	const char *help; /* a line, for completion */
};
extern const struct verb layout_verbs[], row_verbs[];
struct action;
void tui_run_action(struct tui *t, const struct action *a); /* as its key does, or its line when it is typed */
/* The pane of this name (or prefix); "": the one with the focus, or that had it last.  NULL with err. */
void tui_layout_changed(struct tui *t); /* resized by hand: it is remembered */
struct pane *tui_pane_arg(struct tui *t, const char *name, struct err *err);
int tui_verb(struct tui *t, const char *verb, const char *args, struct buf *out, struct err *err);

/* ---- tui_help.c */
void tui_help(struct tui *t, struct pane *of);
void tui_help_close(struct tui *t); /* the focus goes back to where it was */

/* ---- tui_thread.c: the UI thread's life.  Called by a thread of the program, but for the first. */
bool tui_intact(void); /* all descriptors of the screen are still ours, as this thread sees it */
int tui_thread_start(struct tui *t, int news_fd, bool quiet, struct err *err);
void tui_thread_join(void); /* it was asked to end */
/* In a child that was forked while it was held: it is not here. */
void tui_thread_woken(void);
bool tui_thread_is_self(void);
bool tui_thread_private(void);		   /* it has a table of descriptors of its own: the program cannot reach it */
bool tui_thread_lost(void);		   /* it has ended because the program took its descriptors */
void tui_tell_output(const struct tui *t); /* the last screenful of the program's output, to its terminal */
void tui_free(struct tui *t);

/* ---- requests.c: requests to the stopped thread */
void tui_ask(struct tui *t); /* the next one, if there is any and it can be posted */
/* Are visible rows still missing?  Then the old screen stays until they have arrived, so that nothing flickers. */
bool tui_awaits_rows(const struct tui *t);

/* ---- loop.c: the UI thread */
void tui_loop(struct tui *t, int news_fd);

#endif
