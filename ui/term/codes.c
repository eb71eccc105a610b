/* SPDX-License-Identifier: BSD-3-Clause */
/* Terminal codes from terminfo.  Padding is dropped: it is for terminals that are too slow for their line.  Knows no
   grid and no descriptor. */
#include "config.h"
#include "ui/term/codes.h"
#include <curses.h>
#include <term.h>
#include <stdlib.h>
#include <string.h>

enum code {
	CODE_CLEAR,
	CODE_MOVE,
	CODE_RIGHT,
	CODE_ERASE_LINE,
	CODE_ERASE_CHARS,
	CODE_REPEAT,
	CODE_NORMAL,
	CODE_DEFAULT,
	CODE_FG,
	CODE_BG,
	CODE_BOLD,
	CODE_DIM,
	CODE_REVERSE,
	CODE_UNDERLINE,
	CODE_ITALIC,
	CODE_COUNT
};

static const char *const names[CODE_COUNT] = { "clear", "cup",	 "cuf",	 "el",	"ech", "rep",  "sgr0", "op",
					       "setaf", "setab", "bold", "dim", "rev", "smul", "sitm" };

/* LOOK_* of each attribute's code, and its bit in the terminal's no_color_video. */
static const struct {
	unsigned look;
	int code, ncv;
} attributes[] = {
	{ LOOK_BOLD, CODE_BOLD, 1 << 5 },	{ LOOK_DIM, CODE_DIM, 1 << 4 },
	{ LOOK_REVERSE, CODE_REVERSE, 1 << 2 }, { LOOK_UNDERLINE, CODE_UNDERLINE, 1 << 1 },
	{ LOOK_ITALIC, CODE_ITALIC, 1 << 15 },
};

static struct {
	char *s[CODE_COUNT];	 /* NULL: the terminal has none */
	bool plain_move;	 /* the code is that of ECMA-48, as nearly always */
	char *fg[256], *bg[256]; /* made when they are needed */
	bool default_each;	 /* 39 and 49 */
	unsigned not_coloured;	 /* LOOK_* that colours exclude */
	struct codes_can can;
} codes;

static int above; /* see codes_leave_rows() */

void codes_leave_rows(int rows)
{
	above = rows;
}

int codes_rows_above(void)
{
	return above;
}

static bool flag(const char *name)
{
	return tigetflag(name) > 0;
}

/* A copy without padding; NULL: there is none. */
static char *terminal_string(const char *name)
{
	const char *s = tigetstr(name), *end;
	struct buf b = { 0 };

	if (!s || s == (const char *)-1 || !*s)
		return NULL;
	while (*s) {
		end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;
		if (end)
			s = end + 1;
		else
			buf_addc(&b, *s++);
	}
	return buf_detach(&b);
}

static void forget(void)
{
	int i;

	for (i = 0; i < CODE_COUNT; i++)
		free(codes.s[i]);
	for (i = 0; i < 256; i++) {
		free(codes.fg[i]);
		free(codes.bg[i]);
	}
	memset(&codes, 0, sizeof(codes));
}

static void read_colours(void)
{
	int n = codes.s[CODE_FG] && codes.s[CODE_BG] && codes.s[CODE_DEFAULT] ? tigetnum("colors") : 0;

	/* a terminal of direct colours takes a number of 8 or more for red, green and blue */
	codes.can.colours = n > 256 ? 8 : n > 0 ? n : 0;
	codes.default_each = flag("AX");
}

const struct codes_can *codes_begin(void)
{
	size_t i;
	int ncv;

	forget();
	for (i = 0; i < CODE_COUNT; i++)
		codes.s[i] = terminal_string(names[i]);
	read_colours();
	ncv = tigetnum("ncv");
	for (i = 0; ncv > 0 && i < sizeof(attributes) / sizeof(*attributes); i++)
		if (ncv & attributes[i].ncv)
			codes.not_coloured |= attributes[i].look;
	if (codes.s[CODE_NORMAL] && !strcmp(codes.s[CODE_NORMAL], "\033(B\033[m")) {
		free(codes.s[CODE_NORMAL]); /* no other character set is ever selected */
		codes.s[CODE_NORMAL] = mem_str("\033[m");
	}
	codes.plain_move = codes.s[CODE_MOVE] && !strcmp(codes.s[CODE_MOVE], "\033[%i%p1%d;%p2%dH");
	codes.can.erases = codes.s[CODE_ERASE_CHARS] && codes.s[CODE_RIGHT];
	codes.can.repeats = codes.s[CODE_REPEAT] != NULL;
	codes.can.erases_coloured = flag("bce");
	codes.can.move_coloured = flag("msgr");
	codes.can.scrolls_at_end = flag("am") && !flag("xenl");
	return &codes.can;
}

static void number(struct buf *out, int n)
{
	if (n > 9)
		number(out, n / 10);
	buf_addc(out, (char)('0' + n % 10));
}

void codes_move(struct buf *out, int y, int x)
{
	y += above;
	if (!codes.plain_move) {
		buf_adds(out, tiparm(codes.s[CODE_MOVE], y, x));
		return;
	}
	buf_add(out, "\033[", 2);
	number(out, y + 1);
	if (x) {
		buf_addc(out, ';');
		number(out, x + 1);
	}
	buf_addc(out, 'H');
}

void codes_clear(struct buf *out, int rows)
{
	int y;

	if (codes.s[CODE_CLEAR] && !above) {
		buf_adds(out, codes.s[CODE_CLEAR]);
		return;
	}
	for (y = 0; y < rows; y++) {
		codes_move(out, y, 0);
		codes_erase_line(out);
	}
}

void codes_right(struct buf *out, int n)
{
	buf_adds(out, tiparm(codes.s[CODE_RIGHT], n));
}

void codes_erase_line(struct buf *out)
{
	buf_adds(out, codes.s[CODE_ERASE_LINE]);
}

void codes_erase_chars(struct buf *out, int n)
{
	buf_adds(out, tiparm(codes.s[CODE_ERASE_CHARS], n));
}

void codes_repeat(struct buf *out, char c, int n)
{
	buf_adds(out, tiparm(codes.s[CODE_REPEAT], c, n));
}

static void make_colour(struct buf *out, char **made, enum code code, unsigned n)
{
	if (n > 255 || (int)n >= codes.can.colours)
		return;
	if (!made[n])
		made[n] = mem_str(tiparm(codes.s[code], (int)n));
	buf_adds(out, made[n]);
}

/* What of it this terminal has. */
static struct look able(struct look l)
{
	if (!codes.can.colours)
		l.fg = l.bg = 0;
	if (l.fg || l.bg)
		l.attr &= (uint16_t)~codes.not_coloured;
	return l;
}

void codes_look(struct buf *out, struct look from, struct look to)
{
	bool fg, bg;
	size_t i;

	from = able(from);
	to = able(to);
	if (from.attr & ~to.attr && codes.s[CODE_NORMAL]) {
		buf_adds(out, codes.s[CODE_NORMAL]);
		from = (struct look){ 0 };
	}
	fg = from.fg && !to.fg;
	bg = from.bg && !to.bg;
	if (fg || bg) {
		bool one = codes.default_each && fg != bg;

		buf_adds(out, !one ? codes.s[CODE_DEFAULT] : fg ? "\033[39m" : "\033[49m");
		if (fg || !one)
			from.fg = 0;
		if (bg || !one)
			from.bg = 0;
	}
	if (to.fg != from.fg)
		make_colour(out, codes.fg, CODE_FG, to.fg - 1u);
	if (to.bg != from.bg)
		make_colour(out, codes.bg, CODE_BG, to.bg - 1u);
	for (i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (to.attr & ~from.attr & attributes[i].look && codes.s[attributes[i].code])
			buf_adds(out, codes.s[attributes[i].code]);
}
