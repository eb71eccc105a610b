/* SPDX-License-Identifier: BSD-3-Clause */
/* The theme, and the terminal's background, which chooses the theme for `set theme auto`. */
#ifndef CDBG_BACKGROUND_H
#define CDBG_BACKGROUND_H
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct tui;

struct background {
	bool asked, answered, light;
	struct timespec at; /* the query was sent */
};

long tui_ms_since(const struct timespec *from); /* milliseconds since this time of the monotonic clock */
void tui_theme(struct tui *t);			/* an option or the background changed */
void tui_background_ask(struct tui *t);
int tui_background_wait(const struct tui *t); /* milliseconds for which nothing is drawn yet; 0: none */
/* If these bytes of the terminal begin with the answer: uses it and returns its length; else 0. */
size_t tui_background_take(struct tui *t, const char *s, size_t n);
bool tui_background_half(const struct tui *t, const char *s, size_t n); /* is this the beginning of an answer? */
void tui_background_end(struct tui *t); /* waits for the answer, which the shell must not get */

#endif
