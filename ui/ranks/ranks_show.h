/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks say, as text for people: what is equal is said once, with the ranks before it.  Knows no command. */
#ifndef CDBG_RANKS_SHOW_H
#define CDBG_RANKS_SHOW_H
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct controller;
struct rank;
struct rank_set;

/* The text that describe() gives for each of these ranks, a line or more for each that differs in more than addresses;
   prefix false: only one rank is asked, or all say the same, which is shown without ranks. */
void ranks_show_folded(const struct controller *c, const struct rank_set *of,
		       void (*describe)(const struct rank *r, struct buf *out), bool prefix, struct buf *out);
void ranks_show_table(const struct controller *c, struct buf *out); /* `ranks` */
/* Stops and ends that were not shown, and notes; then they have been. */
void ranks_show_news(struct controller *c, struct buf *out);
size_t ranks_show_waiting(const struct controller *c); /* of how many ranks are there any? */
/* Their replies as text; where a machine asks, as data. */
void ranks_show_replies(struct controller *c, const struct rank_set *of, bool prefix, struct buf *out);

#endif
