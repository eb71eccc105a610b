/* SPDX-License-Identifier: BSD-3-Clause */
/* The line that the program is writing: cells, a cursor, a colour, and the state of an escape sequence. */
#include "config.h"
#include "ui/output/lineterm.h"
#include <string.h>
#include "base/buf.h"

enum { CELLS = 4000 };
enum { NUMBER_MAX = 9999 };    /* of an escape sequence: beyond every colour and column */
enum { STRING_MAX = 1 << 20 }; /* bytes of a string, such as a title: what follows one without end is shown again */

struct ccell {
	uint32_t c;
	struct look look;
};

static struct {
	struct ccell cell[CELLS];
	int len, x;
	struct look look;
	int saved; /* cursor column */
	/* STRING: OSC, PM, SOS or APC; DCS may have lines, as pictures do. */
	enum { PLAIN, GOT_ESC, GOT_SKIP, GOT_CSI, GOT_STRING, GOT_DCS } state;
	char arg[64];
	size_t narg;	       /* of a sequence that is longer: its size */
	uint32_t last;	       /* character, for REP */
	struct text_part part; /* of a UTF-8 character */
	struct buf text;
	void (*ended)(const char *s, size_t n);
	int columns; /* the cursor is moved within them */
} lt = { .columns = CELLS };

static void add_colour(struct buf *b, int base, uint16_t c)
{
	if (c)
		buf_addf(b, ";%d;5;%d", base, c - 1);
}

static void add_look(struct buf *b, struct look l)
{
	static const char *const attr[] = { ";1", ";2", ";7", ";4", ";3" };
	unsigned i;

	buf_adds(b, "\033[0");
	for (i = 0; i < 5; i++)
		if (l.attr & 1u << i)
			buf_adds(b, attr[i]);
	add_colour(b, 38, l.fg);
	add_colour(b, 48, l.bg);
	buf_addc(b, 'm');
}

const char *lineterm_text(size_t *n)
{
	struct look l = { 0 };
	char c[4];
	int i;

	buf_reset(&lt.text);
	for (i = 0; i < lt.len; i++) {
		if (memcmp(&l, &lt.cell[i].look, sizeof(l))) {
			l = lt.cell[i].look;
			add_look(&lt.text, l);
		}
		buf_add(&lt.text, c, text_encode(c, lt.cell[i].c));
	}
	if (n)
		*n = lt.text.len;
	return buf_str(&lt.text);
}

static void newline(void)
{
	lineterm_text(NULL);
	lt.ended(buf_str(&lt.text), lt.text.len);
	lt.len = lt.x = 0;
}

static void lineterm_put(uint32_t c)
{
	if (lt.x >= CELLS)
		newline();
	while (lt.len < lt.x)
		lt.cell[lt.len++] = (struct ccell){ .c = ' ' };
	lt.last = c;
	lt.cell[lt.x++] = (struct ccell){ .c = c, .look = lt.look };
	if (lt.x > lt.len)
		lt.len = lt.x;
}

static int rgb(int r, int g, int b)
{
	return 16 + 36 * (r / 51) + 6 * (g / 51) + b / 51;
}

void lineterm_sgr(struct look *l, const char *s)
{
	static const uint16_t attr[10] = { 0, LOOK_BOLD, LOOK_DIM, LOOK_ITALIC, LOOK_UNDERLINE, 0, 0, LOOK_REVERSE };
	int p[32] = { 0 }, n = 0, i, colour;

	for (; n < 31; s++) {
		p[n++] = text_number(&s, NUMBER_MAX);
		if (*s != ';' && *s != ':')
			break;
	}
	for (i = 0; i < n; i++) {
		if (p[i] == 0)
			*l = (struct look){ 0 };
		else if (p[i] < 10)
			l->attr |= attr[p[i]];
		else if (p[i] == 22)
			l->attr &= (uint16_t) ~(LOOK_BOLD | LOOK_DIM);
		else if (p[i] == 23 || p[i] == 24 || p[i] == 27)
			l->attr &= (uint16_t)~attr[p[i] - 20];
		else if (p[i] >= 30 && p[i] <= 37)
			l->fg = (uint16_t)(p[i] - 29);
		else if (p[i] >= 90 && p[i] <= 97)
			l->fg = (uint16_t)(p[i] - 81);
		else if (p[i] >= 40 && p[i] <= 47)
			l->bg = (uint16_t)(p[i] - 39);
		else if (p[i] >= 100 && p[i] <= 107)
			l->bg = (uint16_t)(p[i] - 91);
		else if (p[i] == 39)
			l->fg = 0;
		else if (p[i] == 49)
			l->bg = 0;
		else if (p[i] == 38 || p[i] == 48) {
			colour = i + 2 < n && p[i + 1] == 5 ? p[i + 2] & 255 :
				 i + 4 < n && p[i + 1] == 2 ? rgb(p[i + 2] & 255, p[i + 3] & 255, p[i + 4] & 255) :
							      -1;
			if (p[i] == 38)
				l->fg = (uint16_t)(colour + 1);
			else
				l->bg = (uint16_t)(colour + 1);
			i += i + 1 < n && p[i + 1] == 5 ? 2 : 4;
		}
	}
}

/* To a column, as far as the terminal has one; text that is longer than it is in the same line here. */
static void line_move(int x)
{
	int most = lt.x > lt.columns - 1 ? lt.x : lt.columns - 1;

	lt.x = x < 0 ? 0 : x > most ? most : x;
}

/* Blank cells from column a to before b. */
static void line_blank(int a, int b)
{
	for (; a < b && a < lt.len; a++)
		lt.cell[a] = (struct ccell){ .c = ' ' };
}

/* To the end (0), from the beginning (1), all (2), as far as the line has something. */
static void line_erase(int how)
{
	if (how == 0 && lt.x < lt.len)
		lt.len = lt.x;
	else if (how == 1)
		line_blank(0, lt.x + 1);
	else if (how == 2)
		lt.len = 0;
}

static void line_shift(char how, int n)
{
	size_t rest;
	int i;

	if (lt.x >= lt.len)
		return;
	if (how == 'P') {
		n = n > lt.len - lt.x ? lt.len - lt.x : n;
		rest = (size_t)(lt.len - lt.x - n);
		memmove(lt.cell + lt.x, lt.cell + lt.x + n, rest * sizeof(*lt.cell));
		lt.len -= n;
		return;
	}
	n = n > CELLS - lt.len ? CELLS - lt.len : n;
	memmove(lt.cell + lt.x + n, lt.cell + lt.x, (size_t)(lt.len - lt.x) * sizeof(*lt.cell));
	lt.len += n;
	for (i = 0; i < n; i++)
		lt.cell[lt.x + i] = (struct ccell){ .c = ' ' };
}

/* A sequence of a private kind, or with other characters than numbers, does nothing. */
static void csi(char final)
{
	const char *arg = lt.arg;
	int k, n;

	if (lt.narg >= sizeof(lt.arg) || strspn(lt.arg, "0123456789;:") != lt.narg)
		return;
	k = text_number(&arg, NUMBER_MAX);
	n = k > 0 ? k : 1;
	if (final == 'm')
		lineterm_sgr(&lt.look, lt.arg);
	else if (final == 'C')
		line_move(lt.x + n);
	else if (final == 'D')
		line_move(lt.x - n);
	else if (final == 'G' || final == '`')
		line_move(n - 1);
	else if (final == 'K' || final == 'J')
		line_erase(k);
	else if (final == 'X')
		line_blank(lt.x, lt.x + n);
	else if (final == 'P' || final == '@')
		line_shift(final, n);
	else if (final == 'b')
		for (; lt.last && n > 0 && lt.x < lt.columns; n--)
			lineterm_put(lt.last);
	if (lt.x > CELLS - 1)
		lt.x = CELLS - 1;
}

/* The byte after ESC, or after ESC and intermediate ones. */
static void begin_sequence(unsigned char c)
{
	lt.narg = 0;
	lt.state = c == '['					? GOT_CSI :
		   c == 'P'					? GOT_DCS :
		   c == ']' || c == 'X' || c == '^' || c == '_' ? GOT_STRING :
		   c >= 0x20 && c < 0x30			? GOT_SKIP :
								  PLAIN;
	if (c == '7')
		lt.saved = lt.x;
	else if (c == '8')
		line_move(lt.saved);
	else if (c == 'E')
		newline();
	else if (c == 'c')
		lt.look = (struct look){ 0 };
}

static void string_byte(unsigned char c)
{
	if (c == 7 || (c == '\n' && lt.state == GOT_STRING) || ++lt.narg == STRING_MAX)
		lt.state = PLAIN;
}

/* A byte inside an escape sequence.  False: it is not part of it, and acts as it does outside. */
static bool escape(unsigned char c)
{
	if (c == 0x18 || c == 0x1a) { /* CAN and SUB cancel it, ESC begins another one */
		lt.state = PLAIN;
	} else if (c == 27) {
		lt.state = GOT_ESC;
	} else if (lt.state == GOT_STRING || lt.state == GOT_DCS) {
		string_byte(c);
	} else if (c < 0x20) {
		return false;
	} else if (c >= 0x7f) {
		;
	} else if (lt.state == GOT_ESC) {
		begin_sequence(c);
	} else if (lt.state == GOT_SKIP) {
		if (c >= 0x30)
			lt.state = PLAIN; /* ESC ( B and its like */
	} else if (c >= 0x40) {
		lt.arg[lt.narg < sizeof(lt.arg) ? lt.narg : sizeof(lt.arg) - 1] = '\0';
		lt.state = PLAIN;
		csi((char)c);
	} else if (lt.narg < sizeof(lt.arg)) {
		lt.arg[lt.narg++] = (char)c; /* the last place is that of the NUL */
	}
	return true;
}

static void control(unsigned char c)
{
	int x = lt.x;

	if (c == '\n') {
		newline();
	} else if (c == '\v' || c == '\f') {
		newline();
		lt.x = x;
	} else if (c == '\r') {
		lt.x = 0;
	} else if (c == '\b') {
		lt.x -= lt.x > 0;
	} else if (c == '\t') {
		line_move((lt.x / 8 + 1) * 8);
	} else if (c == 27) {
		lt.state = GOT_ESC;
	}
}

void lineterm_byte(unsigned char c, void (*ended)(const char *s, size_t n))
{
	uint32_t u;
	int got;

	lt.ended = ended;
	if (lt.state != PLAIN && escape(c))
		return;
	if (c < 0x80 && !lt.part.n) {
		got = 0;
	} else {
		got = text_byte(&lt.part, c, &u);
		if (got < 0) {
			lineterm_put(0xfffd);
			got = text_byte(&lt.part, c, &u);
		}
	}
	if (c >= 0x80 && got)
		lineterm_put(u);
	else if (c < 0x20)
		control(c);
	else if (c < 127)
		lineterm_put(c);
}

void lineterm_columns(int columns)
{
	lt.columns = columns < 1 ? 1 : columns > CELLS ? CELLS : columns;
}

bool lineterm_empty(void)
{
	static const struct look none;

	return !lt.len && !lt.x && lt.state == PLAIN && !lt.part.n && !memcmp(&lt.look, &none, sizeof(none));
}

int lineterm_len(void)
{
	return lt.len;
}

int lineterm_column(void)
{
	return lt.x;
}

uint32_t lineterm_char(int i)
{
	return lt.cell[i].c;
}

void lineterm_clear(void)
{
	lt.len = lt.x = 0;
}

void lineterm_release(void)
{
	lineterm_clear();
	buf_release(&lt.text);
}
