/* SPDX-License-Identifier: BSD-3-Clause */
/* The theme in use: the one that is set, or one for the terminal's background, which is queried once (OSC 11).  The
   answer arrives among the keys, late or never: cdbg does not wait for it, and does not treat it as a key. */
#include "config.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ui/term/terminal.h"
#include "ui/tui/tui.h"

enum {
	PAINT_MS = 50, /* how long the first screen waits for the answer */
	HALF_MS = 50,
	LATE_MS = 2000, /* how long bytes that may begin an answer are kept; and how long after the query */
	ANSWER_MAX = 64,
};

static const char begins[] = "\033]11;";

long tui_ms_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) * 1000 + (now.tv_nsec - from->tv_nsec) / 1000000;
}

void tui_theme(struct tui *t)
{
	const char *no = getenv("NO_COLOR"), *name = t->screen.theme;
	bool colours = !strcmp(t->screen.colour, "on") || (strcmp(t->screen.colour, "off") && !(no && *no));

	if (!strcmp(name, "auto"))
		name = t->screen.background.light ? "light" : "dark";
	theme_set(name, colours ? term_colours() : 0, !term_utf8());
	t->screen.repaint = t->screen.dirty = true;
}

void tui_background_ask(struct tui *t)
{
	t->screen.background.asked = term_ask_background();
	t->screen.background.answered = false;
	clock_gettime(CLOCK_MONOTONIC, &t->screen.background.at);
}

static bool expected(const struct tui *t)
{
	return t->screen.background.asked && !t->screen.background.answered;
}

int tui_background_wait(const struct tui *t)
{
	long ms = expected(t) ? tui_ms_since(&t->screen.background.at) : PAINT_MS;

	return ms < PAINT_MS ? (int)(PAINT_MS - ms) : 0;
}

/* One to four hexadecimal digits as thousandths of their greatest value; -1: no digits. */
static int colour_share(const char **s)
{
	char digits[5] = "", *end;
	size_t n = strspn(*s, "0123456789abcdefABCDEF");
	long most = 1, v;

	if (!n || n > 4)
		return -1;
	memcpy(digits, *s, n);
	v = strtol(digits, &end, 16);
	*s += n;
	while (n--)
		most *= 16;
	return (int)(v * 1000 / (most - 1));
}

/* s: "rgb:ffff/ffff/ffff", or "rgba:" with a fourth part. */
static void read_answer(struct tui *t, const char *s)
{
	int part[3], i;

	t->screen.background.answered = true;
	s += strncmp(s, "rgba:", 5) ? strncmp(s, "rgb:", 4) ? strlen(s) : 4 : 5;
	for (i = 0; i < 3; i++) {
		part[i] = colour_share(&s);
		if (part[i] < 0 || (i < 2 && *s++ != '/'))
			return;
	}
	t->screen.background.light = part[0] * 3 + part[1] * 6 + part[2] > 5000;
	tui_theme(t);
}

/* The length of the answer at s, end included; 0: not an answer; -1: incomplete. */
static long whole(const char *s, size_t n)
{
	size_t i = sizeof(begins) - 1;

	if (memcmp(s, begins, n < i ? n : i))
		return 0;
	for (; i < n && i < ANSWER_MAX; i++) {
		if (s[i] == '\a')
			return (long)i + 1;
		if (s[i] == '\\' && s[i - 1] == 27)
			return (long)i + 1;
		if ((unsigned char)s[i] < 32 && s[i] != 27)
			return 0;
	}
	return i < ANSWER_MAX ? -1 : 0;
}

size_t tui_background_take(struct tui *t, const char *s, size_t n)
{
	char text[ANSWER_MAX];
	long k = expected(t) && n ? whole(s, n) : 0;

	if (k < (long)sizeof(begins))
		return 0;
	memcpy(text, s + sizeof(begins) - 1, (size_t)k - sizeof(begins) + 1);
	text[k - (long)sizeof(begins) + 1] = '\0';
	read_answer(t, text);
	return (size_t)k;
}

bool tui_background_half(const struct tui *t, const char *s, size_t n)
{
	return expected(t) && n && tui_ms_since(&t->screen.background.at) < LATE_MS &&
	       tui_ms_since(&t->keys.typed_at) < HALF_MS && whole(s, n) < 0;
}

void tui_background_end(struct tui *t)
{
	struct pollfd pf = { .fd = term_fd(), .events = POLLIN };
	int wait = tui_background_wait(t);
	char b[256];

	if (wait && pf.fd >= 0 && poll(&pf, 1, wait) > 0 && read(pf.fd, b, sizeof(b)) < 0)
		return;
}
