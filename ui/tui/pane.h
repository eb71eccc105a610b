/* SPDX-License-Identifier: BSD-3-Clause */
/* Panes: a window on a view's rows, on the program's output, or on text.  Knows no key and no layout. */
#ifndef CDBG_PANE_H
#define CDBG_PANE_H
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "ui/term/grid.h"
#include "ui/term/theme.h"
#include "view/view.h"

enum pane_kind { PANE_VIEW, PANE_OUTPUT, PANE_TEXT };

enum { PANE_COLS = 24, GUTTER = 3 };

/* The last request for rows to the stopped thread. */
struct pane_request {
	unsigned serial;     /* counts requests */
	bool stale;	     /* rows must be requested again: another stop, or another window */
	bool asked;	     /* the request with number `serial` is not answered yet */
	size_t first, count; /* its window */
	int width;	     /* the columns that the rows were wrapped for */
	int left;	     /* the first of their columns, where the view scrolls them */
};

/* Only rows with a text are shown. */
struct pane_filter {
	char *text;   /* NULL: all are */
	size_t *kept; /* of each row that is loaded, or of each line that is left: what it is among all */
	size_t nkept, cap;
	size_t all;  /* rows, or lines that were looked at */
	size_t keep; /* the row to be selected, among all, when the answer to a changed filter comes */
	bool asked;  /* ... which has not come yet */
};

struct pane {
	char name[32];
	enum pane_kind kind;
	const struct view_ops *view; /* PANE_VIEW; NULL: no view of this name */
	struct rect rect;	     /* title row included */
	bool shown;
	int number; /* in its title; 0: none */
	bool past;  /* a row below the title that says that this is the past */
	bool heads; /* a row of column names below that */
	int needs;  /* columns that it needs while its rows ask for room; 0: they do not */
	/* PANE_VIEW: what the stopped thread gave. */
	struct rows *rows;
	unsigned char *changed; /* of rows->n, since the stop before */
	char *error;
	struct pane_request request;
	unsigned stop;	    /* the stop that rows are of */
	char *words;	    /* after the view's name; NULL: none */
	struct buf folds;   /* "3,17": what was toggled */
	struct buf formats; /* "x=hex,n=type": forms of values that were chosen for rows of a tree */
	struct pane_filter filter;
	/* The position of the user. */
	size_t top, cursor;
	bool free; /* moved by hand: the current row is not followed until the next stop */
	int left;
	int width[PANE_COLS];
	char *about;	 /* PANE_TEXT: beside its name, or NULL; owned */
	struct buf text; /* PANE_TEXT */
	size_t *line;	 /* ... where its lines begin */
	size_t nlines;
};

struct pane *pane_new(const char *name, enum pane_kind kind, const struct view_ops *view);
void pane_free(struct pane *p);
void pane_set_text(struct pane *p, const char *text);
void pane_set_words(struct pane *p, const char *words); /* other rows are needed; "": the current ones */
char *pane_request_words(const struct pane *p); /* with what is folded, and in which form; owned by the caller */
void pane_set_filter(struct pane *p, const char *text, size_t keep); /* "": none; keep: the selected row among all */
size_t pane_number(const struct pane *p);			     /* of the selected row among all */
size_t pane_total(const struct pane *p);			     /* rows there are */
int pane_height(const struct pane *p);				     /* rows that are seen */
int pane_y(const struct pane *p);				     /* where the first of them is */
int pane_columns(const struct pane *p);				     /* columns for the text of a row */
/* The cursor stays in range and in sight. */
void pane_settle(struct pane *p);
void pane_move(struct pane *p, long by);   /* the cursor; the window follows */
void pane_scroll(struct pane *p, long by); /* the window; the cursor follows */
/* If visible rows are missing: the window to request. */
bool pane_wants(const struct pane *p, size_t *first, size_t *count, bool *follow);
/* Shows the current row, unless the user moved: in the middle third where the rows name a block, or with all of it. */
void pane_follow(struct pane *p);
/* Takes rows that have arrived. */
struct answer;
void pane_take(struct pane *p, struct answer *a);
/* Index in rows of row `row` (of all), or -1. */
long pane_index(const struct pane *p, size_t row);
/* The selected row of a view, by its index in rows; -1: p is NULL, another kind of pane, or has none. */
long pane_selected(const struct pane *p);
/* Text of a row as it is searched: cells joined by spaces. */
void pane_row_text(const struct pane *p, size_t row, struct buf *out);

/* The selected row of the focused pane, with which rows of other panes are compared. */
struct pane_link {
	const struct pane *from;     /* NULL: none */
	long long line, last, index; /* 0, 0, -1: none */
	long long index_end;	     /* after the last instruction */
	const struct val *with;	     /* what belongs with it, sorted; NULL: nobody knows */
};
/* The link of the row at p's cursor, without `with`, which the stopped thread knows. */
void pane_link(const struct pane *p, struct pane_link *out);
/* The name of row i, "node G:add"; "": it has none. */
const char *pane_name_of(const struct pane *p, size_t i);
/* The name to ask with for what belongs to row i: its own, or that of what it is about. */
const char *pane_about(const struct pane *p, size_t i);
bool pane_linked(const struct pane *p, size_t i, const struct pane_link *l);

/* Are there linked rows above or below those in sight? */
struct pane_edges {
	bool above, below;
};
void pane_edges(const struct pane *p, const struct pane_link *l, struct pane_edges *out);

struct pane_draw {
	bool focus;
	const struct pane_link *link;
	const char *match; /* search, or NULL */
	bool colours;	   /* of the program's output */
	bool told;	   /* the views are known: a pane without one shows that */
	const char *aside; /* at the right of the title, or NULL */
	const char *past;  /* for such panes */
};
void pane_draw(struct pane *p, struct grid *g, const struct pane_draw *d);
/* Where the terminal's cursor belongs when the pane has the focus. */
void pane_cursor(const struct pane *p, int *y, int *x);

#endif
