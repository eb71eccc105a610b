/* SPDX-License-Identifier: BSD-3-Clause */
/* The pages of a report, made from its data tree alone. */
#ifndef DYNAMO_REPORT_PAGE_H
#define DYNAMO_REPORT_PAGE_H
#include "torch/cdbg_host.h"

struct items;

/* What the parts of a function's page share. */
struct page {
	struct buf *out;
	struct items *items;
	const struct val *root, *f; /* the whole report, and the function */
};

void page_index(const struct val *root, struct buf *out);
void page_function(const struct val *root, const struct val *f, struct buf *out);
/* The first page's beginning: what happened, in sentences; and what the words mean. */
void page_lead(struct buf *out, const struct val *root);
void page_words(struct buf *out);
/* Sections of a function's page. */
void page_source(struct page *p);
void page_story(struct page *p);
void page_sides(struct page *p); /* entries side by side */
bool page_has_sides(const struct page *p);
void page_entry(struct page *p, const struct val *e);
void page_guards(struct page *p, const struct val *e);
void page_graphs(struct page *p, const struct val *e);
/* A graph as SVG: nodes linked to lines. */
void page_drawing(struct page *p, const char *graph, const char *stage, const struct val *nodes);

/* Numbers of items on the page, related to their line if they have one. */
unsigned page_line(struct page *p, const char *file, long long line);
void page_join_line(struct page *p, unsigned item, const struct val *row);
unsigned page_node(struct page *p, const char *graph, const char *stage, const char *name);
/* ` data-i="12" tabindex="-1"`, and the item counts as shown. */
void page_item(struct page *p, unsigned item);
/* "file.py:12", with the item of the line. */
void page_place(struct page *p, const char *file, long long line);
/* Why an entry was compiled: for each earlier entry the guard that did not hold, and the values of those that
   failed. */
void page_why(struct page *p, const struct val *e);
/* What to change so that it is not compiled again.  False: nothing is known. */
bool page_remedies(struct page *p, const struct val *e);
extern const char page_no_remedy[]; /* markup: how to get a report that says what to change */
/* Both with a sentence before them, for an entry that has a reason. */
void page_why_no_entry(struct page *p, const struct val *e);
/* What a graph break is, torch's explanation and its hints; the whole message can be opened. */
void page_break_reason(struct buf *out, const struct val *b);
/* A name for an id or a URL: "0/0" is "0-0"; owned by the caller. */
char *page_anchor(const char *text);
/* A function's name; "(no name)" where there is nothing to see or to click on. */
const char *page_name(const struct val *f);
/* For a source file: the last part of its path, without the folders of this machine. */
const char *page_file(const char *path);

#endif
