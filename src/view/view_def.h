/* SPDX-License-Identifier: BSD-3-Clause */
/* What a view is: its columns, its rows, how they are filled. */
#ifndef CDBG_VIEW_DEF_H
#define CDBG_VIEW_DEF_H
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;
struct session;
struct val;

enum role {
	ROLE_TEXT,
	ROLE_NUMBER,
	ROLE_ADDRESS,
	ROLE_OPCODE,
	ROLE_NAME,
	ROLE_VALUE,
	ROLE_TYPE,
	ROLE_DIM,
	ROLE_ERROR,
	ROLE_CURRENT,
	ROLE_CHANGED,
	ROLE_BREAK,
};

struct cell {
	struct val *v; /* owned unless shared; VAL_NULL is absent */
	enum role role;
	bool shared; /* v belongs to the same column of the row above */
};

enum {
	DROP_EARLY = 4,	   /* from here on where the wide column could show more of a long text */
	DROP_FOR_TEXT = 8, /* from here on early: the wide column has code, and a line that is cut cannot be read */
	DROP_LAST = 255,   /* only where else the last column has no room */
};

struct view_col {
	const char *name; /* key in the machine interface, heading for people */
	const char *help;
	bool machine_only;  /* not printed in a person's table */
	unsigned char drop; /* a narrow pane drops the highest first; 0: never; see DROP_EARLY and the next */
	bool wide;	    /* takes the space left in a pane; if none has it, the last one does */
	/* Filled for panes only (view_req.pane), and left out of what machines get.  A column named "link" is not
	   drawn either: it names the row as plug_ops.links expects it, "node __compiled_fn_1:add".  Nor is one named
	   "about", the name to ask with for a row that has none of its own: it is marked by its lines and instructions;
	   nor "detail": the text of the detail line, for views whose cells do not have it; nor "syntax": what each byte
	   of the cell "text" is as Python, a letter each (enum token_kind). */
	bool screen;
	/* Its words, separated by spaces, are drawn as signs: open shut check cross void bang block fork return; and
	   the ends of an arrow: from down, from up, pass, to down, to up. With screen, help explains each: "check it
	   holds; cross it fails". */
	bool signs;
	bool heading; /* in rows with MARK_HEAD: this cell takes all columns up to the wide one;
						text after a tab is aligned to the right */
	bool tree;    /* in a pane: moved in by the cell "depth", after the sign of the cell "fold" */
	/* It differs between processes that do the same: a count, a number that depends on what came before, a value of
	   the selected frame.  Real numbers are measured, and never compared. */
	bool local;
};

/* What is above the columns. */
struct rows_heads {
	char *text;	 /* owned: in place of the widest column's name, or NULL */
	bool more_right; /* of a view that scrolls: there are columns further to the right */
};

/* Rows of one view; ncols cells each. */
struct rows {
	const struct view_ops *ops;
	int ncols;
	struct cell *cell;   /* n * ncols */
	unsigned char *mark; /* n; enum row_mark */
	size_t n, cap;
	size_t first, total; /* the window: rows first..first+n of total */
	char *title;	     /* owned; what they are about; after a tab: for the right end; or NULL */
	char **shown;	     /* owned, nshown: what people see instead of a cell, NULL: the cell */
	size_t nshown;
	/* Rows around the current one that a pane shows whole if they fit; if not, it keeps the current one in its
	   middle. Used for the selected function.  Equal: no such rows. */
	size_t block, block_end;
	struct rows_heads heads;
	bool room; /* the program is in these rows, which have many columns: wider panes beside this one lend it room */
};
enum row_mark {
	MARK_CURRENT = 1,
	MARK_BREAK = 2,
	MARK_CHANGED = 4,
	MARK_DIM = 8,
	MARK_ERROR = 16,
	MARK_HEAD = 32,	   /* a heading that folds what is below it */
	MARK_OPERAND = 64, /* taken by the next instruction */
	MARK_OFF = 128,	   /* only disabled breakpoints are here */
};

/* An action on a row of a pane. */
enum row_action { ACTION_ENTER, ACTION_TOGGLE, ACTION_EDIT, ACTION_BREAK, ACTION_RUN_TO };

/* A request for rows. */
struct view_req {
	const char *words;   /* after `info NAME`; "" if there are none */
	size_t first, count; /* window; count (size_t)-1: all */
	bool follow;	     /* the window may begin elsewhere: around the current row, rows_follow() */
	bool pane;	     /* columns for screens are filled, rows may be below headings */
	int width;	     /* a pane has so many columns for a row; 0: not known */
	int left;	     /* of a view that scrolls: so many of its columns are to the left */
};

struct view_ops {
	const char *name;	     /* `info NAME`, pane title, reply's "view" */
	const char *alias;	     /* other names, separated by spaces; or NULL */
	const char *args;	     /* "[FUNC|ENTRY]", or NULL */
	const char *help;	     /* one line */
	const struct view_col *cols; /* ends with name NULL */
	bool needs_stop;
	bool gone;    /* it has rows of the record of a process that is gone, too */
	bool wraps;   /* fill() breaks text into rows of the pane's width: a pane of another width asks again */
	bool scrolls; /* fill() makes the columns that are in sight: another view_req.left asks again */
	int (*fill)(struct session *s, const struct view_req *req, struct rows *out, struct err *err);
	/* Its own form for people instead of the table; may be NULL. */
	void (*text)(struct session *s, const struct rows *rows, struct buf *out);
	const char *none; /* shown when there are no rows: "no breakpoints" */
	/* Possible completions of `word`, the last of the arguments: strings; only those that begin with word are
	   used.  May be NULL. */
	void (*complete)(struct session *s, const char *words, const char *word, struct val *list);
	/* The command line for an action on this row; empty: no action.  "tui fold KEY" folds or opens: a pane adds the
	   keys so toggled to its arguments, as " fold:KEY,KEY".  ACTION_EDIT: the line is left for the user to finish.
	   Plain data only: no session, any thread.  May be NULL. */
	void (*action)(const struct rows *rows, size_t row, enum row_action what, struct buf *line);
	/* Further command lines for a row, in the menu of actions: "guard force {guard}", with the names of columns in
	   braces.  A row with no text or number in one of these has no such action.  One that ends in a space is left
	   at the prompt to be finished.  NULL-terminated; may be NULL. */
	const char *const *more;
	/* A column of truth values: the table for people omits rows where it is true, and ends with their number and
	   this text.  NULL: it has all rows. */
	const char *omitted, *omitted_text;
};

#endif
