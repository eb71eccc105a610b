/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stop has to say in full, also after the program has ended.  Knows no front end. */
#ifndef CDBG_STOP_CARD_H
#define CDBG_STOP_CARD_H
#include <stdbool.h>

struct buf;
struct event;
struct session;

/* Add the text of this stop in lines, the first one a title: the card of its kind, else its line; of an exception also
   the line that raised it.  True: there is more than `describe` has. */
bool stop_card(struct session *s, const struct event *ev, struct buf *out);
/* Remember the text of a stop that has a card, for stop_card_last().  Inside the stop, when its frames are known. */
void stop_card_keep(struct session *s, const struct event *ev);
/* The name of the last such stop's kind, its text added to out; NULL: there was none. */
const char *stop_card_last(struct buf *out);

#endif
