/* SPDX-License-Identifier: BSD-3-Clause */
/* What the UI thread keeps, a struct for each part of the screen.  All of it belongs to the UI thread. */
#ifndef CDBG_TUI_STATE_H
#define CDBG_TUI_STATE_H
#include <time.h>
#include "ui/tui/action_menu.h"
#include "ui/tui/background.h"
#include "ui/tui/channel.h"
#include "ui/term/grid.h"
#include "ui/line/input.h"
#include "ui/tui/filter.h"
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
enum prompt { PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_QUESTION, PROMPT_ACTION, PROMPT_FILTER };

/* Cells of the whole screen, and how they look. */
struct tui_screen {
	struct grid grid;
	int rows, cols;
	bool dirty, repaint;	  /* to be drawn; everything is to be sent */
	bool hints;		  /* the last row names keys */
	bool colours;		  /* the output pane shows the program's */
	char theme[8], colour[8]; /* as the options say: "auto", "dark"; "auto", "on" */
	struct background background;
};

/* The panes, and which of them has the focus: tui_panes.c. */
struct tui_panes {
	struct pane **all; /* in the order of the view table, then output and help */
	int n;
	bool told; /* which views there are */
	struct pane *output, *help;
	struct pane *focus, *last_focus; /* NULL: the command line */
	struct pane *zoom;
	bool help_open;
	struct pane *help_from;		       /* what had the focus before; NULL: the command line */
	int numbered;			       /* panes that have a number */
	struct pane *slot;		       /* the pane in the layout's free place */
	unsigned long output_then, output_now; /* bytes the program had written at the last two stops */
	bool output_short;		       /* the output pane has nothing new: its title alone is shown */
};

/* The layout that is shown: tui_place.c, tui_panes.c. */
struct tui_layouts {
	struct layout *current;
	char name[LAYOUT_NAME];
	struct rect area; /* of all panes */
	char *file;	  /* where the user's layouts are saved */
};

/* What belongs with the row of the cursor: requests.c. */
struct tui_links {
	char *row;	  /* the row that `list` belongs with, or is asked for; NULL: none */
	struct val *list; /* sorted; NULL: nobody knows it */
	bool asked, stale;
};

/* The text of the command area: messages.c. */
struct tui_messages {
	struct said_line *line;
	size_t n, cap;
	size_t back; /* rows scrolled back */
};

/* The bottom line. */
struct tui_prompt {
	enum prompt kind;
	char *question;
	struct buf answer;	/* what was typed to it */
	struct editor *editor;	/* of command lines */
	struct buf line, label; /* scratch for the editor */
};

/* What the UI thread knows of the program, and the command lines that wait for it: loop.c. */
struct tui_program {
	enum life life;
	unsigned stop;
	struct val *status;
	struct timespec since; /* since when it runs, or a command is worked at */
	bool working;	       /* a command line is */
	bool queued;	       /* ... and lines that nobody typed are */
	char *working_line;
	struct queued queue[QUEUE_MAX];
	int nqueue;
	char *row_line; /* the command line of the last action on a row; or NULL */
	bool compiled;	/* there was a stop in compiled code */
};

/* What the last command did, for the status line. */
struct tui_last {
	char *text;
	bool fits; /* a row has had room for it since the screen was drawn */
	bool failed;
	bool fresh; /* no key was pressed since */
};

/* Who uses the terminal. */
struct tui_terminal {
	bool remote;	   /* another process's, which attached: that one restores it */
	bool elsewhere;	   /* not on the program's terminal, which is restored when it continues */
	bool handed, lent; /* another has the terminal; lent: until it closes it */
	bool lent_seen;	   /* it was seen open */
	struct timespec lent_at;
	bool input_focus; /* the program asked for input, which took the focus from this: */
	struct pane *input_from;
};

/* Bytes and keys that were read: loop.c, tui_keys.c. */
struct tui_keys {
	struct input input;
	struct buf typed;	  /* read from the terminal, not yet taken */
	size_t left;		  /* bytes of it after the key that is handled now */
	struct timespec typed_at; /* the last of it was read */
	bool late;		  /* ... after a time in which nothing was read: nobody knows when it was typed */
	bool driven;		  /* by a program that waits for each screen: how fast keys come means nothing */
	char letter;		  /* the last one that a pane got */
	bool text;		  /* it is part of a text that came too fast to be keys */
	size_t ignored;		  /* characters of that text */
	struct timespec letter_at;
	char chord[32];		 /* a key that waits for the next */
	struct timespec clicked; /* the last click, and where */
	int click_row, click_col;
	unsigned long consumed;
};

/* All of the full screen. */
struct tui {
	struct tui_screen screen;
	struct tui_panes panes;
	struct tui_layouts layouts;
	struct tui_links links;
	struct tui_messages messages;
	struct tui_prompt prompt;
	struct menu menu;
	struct action_menu actions;
	struct overlay over;
	struct search search;
	struct filter filter;
	struct tui_program program;
	struct tui_last last;
	struct tui_terminal terminal;
	struct tui_keys keys;
	struct mouse mouse;
	bool bye, lost; /* lost: the program took our descriptors */
};

#endif
