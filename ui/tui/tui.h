/* SPDX-License-Identifier: BSD-3-Clause */
/* The full screen's own: what the UI thread keeps, and how its files share the work.  All of it belongs to the UI
   thread, which never takes the GIL; tui.c says what the stopped thread does. */
#ifndef CDBG_TUI_H
#define CDBG_TUI_H
#include <time.h>
#include "ui/tui/background.h"
#include "ui/tui/channel.h"
#include "ui/term/grid.h"
#include "ui/line/input.h"
#include "ui/tui/layout.h"
#include "ui/tui/menu.h"
#include "ui/tui/mouse.h"
#include "ui/tui/overlay.h"
#include "ui/tui/pane.h"
#include "ui/tui/search.h"

struct said_line {
	char *text;
	enum style style;
};

struct queued {
	char *line;
	bool quiet; /* from a key: not echoed */
};

enum { ANSWERS_MAX = 20000, QUEUE_MAX = 64, KEYS_AHEAD = 3 };

/* What the bottom line is for. */
enum prompt { PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_QUESTION };

struct tui {
	struct grid grid;
	int rows, cols;
	bool dirty, repaint; /* to be drawn; everything is to be sent */
	/* panes */
	struct pane **pane; /* in the order of the view table, then output and help */
	int npanes;
	bool told; /* which views there are */
	struct pane *output, *help;
	struct layout *layout;
	char layout_name[LAYOUT_NAME];
	struct pane *focus, *last_focus; /* NULL: the command line */
	struct pane *zoom;
	bool help_open;
	struct pane *help_from;		       /* what had the focus before; NULL: the command line */
	int numbered;			       /* panes that have a number */
	struct pane *slot;		       /* what the layout's free place shows */
	unsigned long output_then, output_now; /* bytes the program had written at the last two stops */
	struct rect area;		       /* of all panes */
	bool output_short;		       /* the output pane has nothing new: its title alone is shown */
	bool hints;			       /* the last row names keys */
	char *link_of;			       /* the row that `links` belong with, or are asked for; NULL: none */
	struct val *links;		       /* sorted; NULL: nobody knows it */
	bool links_asked, links_stale;
	/* the command area */
	struct said_line *said;
	size_t nsaid, said_cap;
	size_t said_back;	/* lines scrolled back */
	struct buf line, label; /* scratch for the editor */
	struct menu menu;
	struct overlay over;
	/* the bottom line */
	enum prompt prompt;
	struct search search;
	char *question;
	/* the program */
	enum life life;
	unsigned stop;
	struct val *status;
	struct timespec since; /* it runs, or a command is worked at, since then */
	bool working;	       /* a command line is */
	char *working_line;
	char *last;		    /* what the last command did, for the status line */
	bool last_fits;		    /* beside the status */
	bool last_failed, last_new; /* new: no key was pressed since */
	struct queued queue[QUEUE_MAX];
	int nqueue;
	char *row_line;	   /* the command line of the last action on a row; or NULL */
	bool compiled;	   /* there was a stop in compiled code */
	bool elsewhere;	   /* not on the program's terminal, which is restored when it continues */
	bool handed, lent; /* another has the terminal; lent: until it closes it */
	bool lent_seen;	   /* it was seen open */
	bool input_focus;  /* the program asked for input, which took the focus from this: */
	struct pane *input_from;
	struct timespec lent_at;
	bool colours;		  /* the output pane shows the program's */
	char theme[8], colour[8]; /* as the options say: "auto", "dark"; "auto", "on" */
	struct background background;
	char *layouts_file;
	struct input input;
	struct buf typed;	  /* read from the terminal, not yet taken */
	struct timespec typed_at; /* the last of it was read */
	char chord[32];		  /* a key that waits for the next */
	struct timespec clicked;  /* the last click, and where */
	int click_row, click_col;
	struct mouse mouse;
	unsigned long consumed;
	bool bye, lost; /* lost: the program took our descriptors */
};

/* ---- tui_place.c: rectangles */
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

/* ---- start_card.c: what to begin with, in panes that have nothing to show yet */
bool tui_card_shown(const struct tui *t);
void tui_card_draw(struct tui *t);

/* ---- detail.c: the full text of the selected row */
void tui_detail_text(const struct pane *p, struct buf *out);
int tui_detail_draw(struct tui *t, struct rect r); /* at the bottom of r; the rows that it took */

/* ---- links.c: what belongs with the row of the cursor, as the stopped thread knows it */
bool tui_links_wanted(const struct tui *t); /* to be asked, or on its way */
bool tui_links_ask(struct tui *t);	    /* true: a request was posted */
void tui_links_take(struct tui *t, struct answer *a);

/* ---- messages.c: the command area's text */
void tui_say(struct tui *t, enum style style, const char *text); /* lines */
void tui_sayf(struct tui *t, enum style style, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void tui_echo(struct tui *t, const char *line, const char *more); /* a command line as it was typed */
/* Draw it into r, the newest at the bottom. */
void tui_said_draw(struct tui *t, struct rect r);
void tui_last(struct tui *t, bool failed, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- tui_keys.c: keys */
void tui_key(struct tui *t, const struct key *k);
/* How many of the n bytes that wait are a command or a paste that reached a pane, and not keys. */
size_t tui_burst(const struct tui *t, const char *s, size_t n);
/* Run a command line: the screen's own at once, others when the program is stopped. */
void tui_command(struct tui *t, const char *line, bool quiet);
void tui_interrupt(struct tui *t);
void tui_suspend(struct tui *t);

/* ---- verbs.c, verbs_layout.c, verbs_row.c: what commands do with the screen */
struct verb {
	const char *name; /* NULL: the table ends */
	int (*run)(struct tui *t, const char *args, struct buf *out, struct err *err);
};
extern const struct verb layout_verbs[], row_verbs[];
/* The pane of this name (or prefix); "": the one with the focus, or that had it last.  NULL with err. */
void tui_layout_changed(struct tui *t); /* resized by hand: it is remembered */
struct pane *tui_pane_arg(struct tui *t, const char *name, struct err *err);
int tui_verb(struct tui *t, const char *verb, const char *args, struct buf *out, struct err *err);
/* Is this command line one of the screen's own?  Then verb and args. */
bool tui_own_line(const char *line, const char **verb, const char **args);

/* ---- tui_tty.c */
int tui_tty(struct tui *t, const char *device, struct err *err);

/* ---- tui_help.c */
void tui_help(struct tui *t, struct pane *of);
void tui_help_close(struct tui *t); /* the focus goes back to where it was */

/* ---- tui_thread.c: the UI thread's life.  Called by a thread of the program, but for the first. */
bool tui_intact(void); /* all descriptors of the screen are still ours, as this thread sees it */
int tui_thread_start(struct tui *t, int news_fd, bool quiet, struct err *err);
void tui_thread_join(void); /* it was asked to end */
bool tui_thread_is_self(void);
bool tui_thread_private(void);		   /* it has a table of descriptors of its own: the program cannot reach it */
bool tui_thread_lost(void);		   /* it has ended because the program took its descriptors */
void tui_tell_output(const struct tui *t); /* the last screenful of the program's output, to its terminal */
void tui_free(struct tui *t);

/* ---- requests.c: requests to the stopped thread */
void tui_ask(struct tui *t); /* the next one, if there is any and it can be posted */
/* Rows of what is seen are still to come: the screen of before stays until they are there, so that nothing flickers. */
bool tui_awaits_rows(const struct tui *t);

/* ---- loop.c: the UI thread */
void tui_loop(struct tui *t, int news_fd);

#endif
