/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the UI thread and the stopped one: one request slot, one answer slot, plain data only.  The UI never waits;
   the stopped thread waits for nothing but requests.  Knows neither screen nor command. */
#ifndef CDBG_CHANNEL_H
#define CDBG_CHANNEL_H
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "view/view.h"

enum ask_type { ASK_NONE, ASK_LINE, ASK_ROWS, ASK_FIND, ASK_COMPLETE, ASK_LINKS, ASK_BESIDE /* see channel_nudge() */ };

/* A request.  Its memory is owned by the UI, then by the channel, then by the stopped thread. */
struct ask {
	enum ask_type type;
	char *text; /* the command line; the pattern; the line to complete; what to link */
	const struct view_ops *view;
	char *words;  /* after the view's name */
	char *filter; /* ROWS, FIND: only rows with this text; NULL: all */
	size_t keep;  /* ROWS: the selected row, counted without a filter */
	int pane;
	unsigned serial;     /* of the pane's request: the answer to an older one is dropped */
	size_t first, count; /* ROWS: window; FIND: begin at this row */
	int width;	     /* ROWS, FIND: columns of the pane */
	int left;	     /* ASK_ROWS: of a view that scrolls its columns */
	bool follow;	     /* ROWS: a window around the current row, if the view knows it */
	bool backward;
	bool quiet;	  /* LINE: from a key */
	struct ask *next; /* ROWS: of other panes, to be answered with this one */
};

struct answer {
	struct answer *next;
	enum ask_type type;
	int pane;
	unsigned serial, stop;
	bool failed, quiet, table; /* table: each line of the text is a row */
	char *line;		   /* the command line it answers */
	char *text;		   /* reply or error */
	struct rows *rows;
	size_t *numbers;  /* of filtered rows: where each is among all; else NULL */
	size_t all;	  /* ... and how many these are */
	size_t cursor;	  /* ROWS: the row that ask.keep named, or the next that is left */
	struct val *list; /* completions; what is linked, sorted; NULL: nobody knows it */
	long found;	  /* row, -1: none */
	size_t at, of;	  /* it is the at-th of so many rows that match */
	bool wrapped;	  /* the search passed the end and continued at the other one */
};

void ask_release(struct ask *a);
void answer_free(struct answer *a);

enum said { SAID_TEXT, SAID_INFO, SAID_WARNING };

struct message {
	struct message *next;
	enum said said;
	char *text;
};

/* The state of the program, as the UI sees it. */
enum life { LIFE_NEW, LIFE_RUNS, LIFE_STOPPED, LIFE_EXITED };

/* What has arrived since the last channel_take(); the caller owns what it points to. */
struct news {
	enum life life;
	unsigned stop;		       /* counts stops */
	struct val *status;	       /* new description of the stop, or NULL */
	const struct view_ops **views; /* all views, NULL-terminated, borrowed; or NULL */
	struct answer *answers;	       /* in order; of older stops too */
	struct message *said;
	bool call;		 /* a thread waits for channel_call_done() */
	const char *verb, *args; /* borrowed until then */
	struct buf *out;
	struct err *err;
	const char *question; /* a thread waits for channel_confirm_done(); borrowed */
	int hand;	      /* 1: leave the screen, 0: show it again, then call channel_hand_done(); -1: neither */
	bool input;	      /* the program asks for a line */
	bool lend;	      /* leave the screen because the program opens the terminal by name */
	bool closing;
	bool queued; /* command lines that nobody typed are run: requests wait until they have ended */
};

/* ---- the UI thread --------------------------------------------------------------------------------------- */

int channel_open(void); /* returns a descriptor to poll: readable when there is news; -1: none */
bool channel_ok(void);	/* its descriptors are still ours */
void channel_close(void);
void channel_take(struct news *n); /* also empties the descriptor */
/* True: the channel owns *a now.  False: the slot is full, or no thread is stopped. */
bool channel_post(struct ask *a);
bool channel_busy(void); /* is a request waiting or being answered? */
void channel_call_done(int status);
void channel_confirm_done(bool yes);
void channel_hand_done(void);

/* ---- any thread ------------------------------------------------------------------------------------------ */

void channel_wake(void); /* async-signal-safe */
void channel_say(enum said said, const char *text);
void channel_input(void); /* the program asks for a line */
/* The program opens the terminal by name: waits until the screen has been left; the UI takes it again by itself. */
void channel_lend(void);

/* ---- the stopped thread (or the one that ends the program) ----------------------------------------------- */

void channel_views(const struct view_ops **views); /* kept by reference until channel_close() */
/* Takes status. said: the text about the stop, shown together with it; or NULL. */
void channel_stopped(enum life life, struct val *status, const char *said);
void channel_status(struct val *status);
void channel_next(struct ask *a); /* waits for a request, or for channel_nudge(): ASK_BESIDE */
void channel_nudge(void);	  /* any thread */
/* Takes the contents of *a and leaves it empty. more: another answer to the same request follows. runs: the program
   continues now, and nothing is answered before the next stop. */
void channel_answer(struct answer *a, bool more, bool runs);
void channel_runs(void);
void channel_queued(bool on); /* see struct news */
/* This thread waits until the UI has done it: run a verb of the screen; ask a question; lend the terminal or use
   it again. */
int channel_call(const char *verb, const char *args, struct buf *out, struct err *err);
bool channel_confirm(const char *question);
void channel_hand(bool to_program);
/* on: waits until the UI thread touches nothing, which lasts until it is called again. */
void channel_hold(bool on);
void channel_woken(void);  /* in a child that was forked meanwhile, which has no UI thread: before channel_close() */
void channel_shut(void);   /* tell the UI thread to end */
void channel_forked(void); /* in a forked child: from now on nothing here works or blocks */

#endif
