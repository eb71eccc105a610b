/* SPDX-License-Identifier: BSD-3-Clause */
/* The theme, and the terminal's background, which chooses it where that is asked for. */
#ifndef CDBG_BACKGROUND_H
#define CDBG_BACKGROUND_H
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct tui;

struct background {
	bool asked, answered, light;
	struct timespec at; /* it was asked */
};

void tui_theme(struct tui *t); /* an option or the background changed */
void tui_background_ask(struct tui *t);
int tui_background_wait(const struct tui *t); /* milliseconds for which nothing is drawn yet; 0: none */
/* Do these bytes of the terminal begin with the answer?  Its length; it is taken.  0: no. */
size_t tui_background_take(struct tui *t, const char *s, size_t n);
bool tui_background_half(const struct tui *t, const char *s, size_t n); /* the rest of it is to come */
void tui_background_end(struct tui *t);					/* an answer on its way is not for the shell */

#endif
