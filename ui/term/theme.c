/* SPDX-License-Identifier: BSD-3-Clause */
/* The theme tables. Every mark also has a sign, so no meaning depends on a colour. */
#include "ui/term/theme.h"
#include <string.h>
#include "py/interp/tokens.h"

#define B LOOK_BOLD
#define D LOOK_DIM
#define R LOOK_REVERSE
#define U LOOK_UNDERLINE

/* Colours of 256 and of 16; -1 is the terminal's own. */
struct theme_entry {
	short fg, bg, fg16, bg16;
	unsigned char attr, attr16;
};

struct theme {
	const char *name;
	struct theme_entry entry[STYLE_COUNT];
};

static const struct theme themes[] = {
	{ "dark",
	  {
		  [STYLE_TEXT] = { -1, -1, -1, -1, 0, 0 },	  [STYLE_NUMBER] = { 245, -1, -1, -1, 0, 0 },
		  [STYLE_ADDRESS] = { 245, -1, -1, -1, 0, D },	  [STYLE_OPCODE] = { 81, -1, 6, -1, 0, 0 },
		  [STYLE_NAME] = { 223, -1, 3, -1, 0, 0 },	  [STYLE_VALUE] = { 151, -1, 2, -1, 0, 0 },
		  [STYLE_TYPE] = { 110, -1, 4, -1, 0, 0 },	  [STYLE_DIM] = { 243, -1, -1, -1, 0, D },
		  [STYLE_ERROR] = { 203, -1, 1, -1, 0, 0 },	  [STYLE_CURRENT] = { 228, -1, 3, -1, B, B },
		  [STYLE_CHANGED] = { 215, -1, 3, -1, B, B },	  [STYLE_BREAK] = { 203, -1, 1, -1, B, B },
		  [STYLE_LINE] = { 240, -1, -1, -1, 0, D },	  [STYLE_TITLE] = { 250, -1, -1, -1, 0, 0 },
		  [STYLE_TITLE_FOCUS] = { 16, 110, 0, 6, B, B },  [STYLE_STATUS] = { 231, 24, 7, 4, 0, 0 },
		  [STYLE_STATUS_RUN] = { 16, 178, 0, 3, 0, 0 },	  [STYLE_PROMPT] = { 110, -1, 6, -1, B, B },
		  [STYLE_ECHO] = { 250, -1, -1, -1, B, B },	  [STYLE_NOTE] = { 180, -1, 3, -1, 0, 0 },
		  [STYLE_POPUP] = { 252, 238, 7, 4, 0, 0 },	  [STYLE_POPUP_ON] = { 16, 110, 0, 6, 0, 0 },
		  [STYLE_MATCH] = { 16, 221, 0, 3, 0, 0 },	  [STYLE_KEYWORD] = { 176, -1, 5, -1, 0, 0 },
		  [STYLE_STRING] = { 114, -1, 2, -1, 0, 0 },	  [STYLE_COMMENT] = { 244, -1, -1, -1, 0, D },
		  [STYLE_LITERAL] = { 209, -1, 1, -1, 0, 0 },	  [STYLE_DEFINED] = { 222, -1, 3, -1, B, B },
		  [STYLE_BUILTIN] = { 80, -1, 6, -1, 0, 0 },	  [STYLE_DECORATOR] = { 180, -1, 3, -1, 0, 0 },
		  [STYLE_ROW_CURRENT] = { -1, 58, -1, -1, 0, R }, [STYLE_ROW_CURSOR] = { -1, 237, -1, -1, 0, U },
		  [STYLE_ROW_LINKED] = { -1, 235, -1, -1, 0, B },
	  } },
	{ "light",
	  {
		  [STYLE_TEXT] = { -1, -1, -1, -1, 0, 0 },	   [STYLE_NUMBER] = { 242, -1, -1, -1, 0, 0 },
		  [STYLE_ADDRESS] = { 242, -1, -1, -1, 0, 0 },	   [STYLE_OPCODE] = { 25, -1, 4, -1, 0, 0 },
		  [STYLE_NAME] = { 94, -1, 5, -1, 0, 0 },	   [STYLE_VALUE] = { 22, -1, 2, -1, 0, 0 },
		  [STYLE_TYPE] = { 24, -1, 4, -1, 0, 0 },	   [STYLE_DIM] = { 246, -1, -1, -1, 0, 0 },
		  [STYLE_ERROR] = { 124, -1, 1, -1, 0, 0 },	   [STYLE_CURRENT] = { 16, -1, -1, -1, B, B },
		  [STYLE_CHANGED] = { 130, -1, 1, -1, B, B },	   [STYLE_BREAK] = { 160, -1, 1, -1, B, B },
		  [STYLE_LINE] = { 248, -1, -1, -1, 0, 0 },	   [STYLE_TITLE] = { 238, -1, -1, -1, 0, 0 },
		  [STYLE_TITLE_FOCUS] = { 231, 25, 7, 4, B, B },   [STYLE_STATUS] = { 231, 60, 7, 4, 0, 0 },
		  [STYLE_STATUS_RUN] = { 16, 222, 0, 3, 0, 0 },	   [STYLE_PROMPT] = { 25, -1, 4, -1, B, B },
		  [STYLE_ECHO] = { 236, -1, -1, -1, B, B },	   [STYLE_NOTE] = { 94, -1, 5, -1, 0, 0 },
		  [STYLE_POPUP] = { 16, 253, 7, 4, 0, 0 },	   [STYLE_POPUP_ON] = { 231, 25, 0, 6, 0, 0 },
		  [STYLE_MATCH] = { 16, 221, 0, 3, 0, 0 },	   [STYLE_KEYWORD] = { 90, -1, 5, -1, 0, 0 },
		  [STYLE_STRING] = { 28, -1, 2, -1, 0, 0 },	   [STYLE_COMMENT] = { 243, -1, -1, -1, 0, 0 },
		  [STYLE_LITERAL] = { 130, -1, 1, -1, 0, 0 },	   [STYLE_DEFINED] = { 25, -1, 4, -1, B, B },
		  [STYLE_BUILTIN] = { 30, -1, 6, -1, 0, 0 },	   [STYLE_DECORATOR] = { 94, -1, 5, -1, 0, 0 },
		  [STYLE_ROW_CURRENT] = { -1, 229, -1, -1, 0, R }, [STYLE_ROW_CURSOR] = { -1, 254, -1, -1, 0, U },
		  [STYLE_ROW_LINKED] = { -1, 255, -1, -1, 0, B },
	  } },
	{ "none",
	  {
		  [STYLE_TITLE_FOCUS] = { -1, -1, -1, -1, R | B, R | B },
		  [STYLE_STATUS] = { -1, -1, -1, -1, R, R },
		  [STYLE_STATUS_RUN] = { -1, -1, -1, -1, R, R },
		  [STYLE_PROMPT] = { -1, -1, -1, -1, B, B },
		  [STYLE_CURRENT] = { -1, -1, -1, -1, B, B },
		  [STYLE_CHANGED] = { -1, -1, -1, -1, B, B },
		  [STYLE_BREAK] = { -1, -1, -1, -1, B, B },
		  [STYLE_ECHO] = { -1, -1, -1, -1, B, B },
		  [STYLE_POPUP] = { -1, -1, -1, -1, R, R },
		  [STYLE_POPUP_ON] = { -1, -1, -1, -1, B, B },
		  [STYLE_MATCH] = { -1, -1, -1, -1, R, R },
		  [STYLE_ROW_CURRENT] = { -1, -1, -1, -1, R, R },
		  [STYLE_ROW_CURSOR] = { -1, -1, -1, -1, U, U },
		  [STYLE_ROW_LINKED] = { -1, -1, -1, -1, B, B },
	  } },
};

static const struct {
	uint32_t c;
	const char *nice, *plain;
} signs[SIGN_COUNT] = {
	[SIGN_HLINE] = { 0x2500, "\xe2\x94\x80", "-" },
	[SIGN_VLINE] = { 0x2502, "\xe2\x94\x82", "|" },
	[SIGN_CROSS_DOWN] = { 0x252c, "\xe2\x94\xac", "+" },
	[SIGN_CROSS_UP] = { 0x2534, "\xe2\x94\xb4", "+" },
	[SIGN_CROSS_LEFT] = { 0x2524, "\xe2\x94\xa4", "+" },
	[SIGN_CROSS_RIGHT] = { 0x251c, "\xe2\x94\x9c", "+" },
	[SIGN_CROSS] = { 0x253c, "\xe2\x94\xbc", "+" },
	[SIGN_BREAK] = { 0x25cf, "\xe2\x97\x8f", "*" },
	[SIGN_BREAK_OFF] = { 0x25cb, "\xe2\x97\x8b", "o" },
	[SIGN_CURRENT] = { 0x25b6, "\xe2\x96\xb6", ">" },
	[SIGN_CHANGED] = { 0xbb, "\xc2\xbb", "~" },
	[SIGN_ERROR] = { 0x2717, "\xe2\x9c\x97", "x" },
	[SIGN_CHECK] = { 0x2713, "\xe2\x9c\x93", "v" },
	[SIGN_VOID] = { 0x2298, "\xe2\x8a\x98", "/" },
	[SIGN_BANG] = { '!', "!", "!" },
	[SIGN_BLOCK] = { 0x25aa, "\xe2\x96\xaa", "#" },
	[SIGN_FORK] = { 0x2442, "\xe2\x91\x82", "Y" },
	[SIGN_RETURN] = { 0x23ce, "\xe2\x8f\x8e", "<" },
	[SIGN_OPEN] = { 0x25be, "\xe2\x96\xbe", "-" },
	[SIGN_SHUT] = { 0x25b8, "\xe2\x96\xb8", "+" },
	[SIGN_FROM_DOWN] = { 0x256d, "\xe2\x95\xad\xe2\x94\x80", ",-" },
	[SIGN_FROM_UP] = { 0x2570, "\xe2\x95\xb0\xe2\x94\x80", "`-" },
	[SIGN_PASS] = { 0x2502, "\xe2\x94\x82", "|" },
	[SIGN_TO_DOWN] = { 0x2570, "\xe2\x95\xb0\xe2\x96\xb8", "`>" },
	[SIGN_TO_UP] = { 0x256d, "\xe2\x95\xad\xe2\x96\xb8", ",>" },
	[SIGN_OPERAND] = { 0x25b9, "\xe2\x96\xb9", "+" },
	[SIGN_DOT] = { 0xb7, "\xc2\xb7", "-" },
	[SIGN_LINKED] = { 0xb7, "\xc2\xb7", "." },
	[SIGN_CURSOR] = { 0x203a, "\xe2\x80\xba", "]" },
	[SIGN_MORE] = { 0x2026, "\xe2\x80\xa6", "~" },
	[SIGN_ABOVE] = { 0x2191, "\xe2\x86\x91", "^" },
	[SIGN_BELOW] = { 0x2193, "\xe2\x86\x93", "v" },
};

static const struct theme *theme = &themes[0];
static int colours = 256;
static bool ascii;

int theme_set(const char *name, int has, bool only_ascii)
{
	size_t i;

	for (i = 0; i < sizeof(themes) / sizeof(*themes); i++)
		if (!strcmp(themes[i].name, name)) {
			theme = has >= 8 ? &themes[i] : &themes[2];
			colours = has;
			ascii = only_ascii;
			return 0;
		}
	return -1;
}

static uint16_t colour(int n)
{
	return n < 0 ? 0 : (uint16_t)(n + 1);
}

/* An unnamed style of "none" is all zero: that is black on black, so colours count only where a theme has any. */
struct look theme_look(enum style s)
{
	const struct theme_entry *e = &theme->entry[s];

	if (theme == &themes[2])
		return (struct look){ .attr = e->attr };
	if (colours >= 256)
		return (struct look){ colour(e->fg), colour(e->bg), e->attr };
	return (struct look){ colour(e->fg16), colour(e->bg16), e->attr16 };
}

struct look theme_role(enum role r)
{
	return theme_look((enum style)r <= STYLE_BREAK ? (enum style)r : STYLE_TEXT);
}

struct look theme_syntax(char kind)
{
	static const unsigned char styles[128] = {
		[TOKEN_KEYWORD] = STYLE_KEYWORD,     [TOKEN_STRING] = STYLE_STRING,   [TOKEN_COMMENT] = STYLE_COMMENT,
		[TOKEN_NUMBER] = STYLE_LITERAL,	     [TOKEN_DEFINED] = STYLE_DEFINED, [TOKEN_BUILTIN] = STYLE_BUILTIN,
		[TOKEN_DECORATOR] = STYLE_DECORATOR,
	};

	return theme_look(styles[kind & 127]);
}

const char *theme_sign(enum sign s)
{
	return ascii ? signs[s].plain : signs[s].nice;
}

const char *theme_sign_named(const char *word, size_t n)
{
	static const struct {
		const char *word;
		enum sign sign;
	} words[] = {
		{ "open", SIGN_OPEN },	     { "shut", SIGN_SHUT },	{ "from down", SIGN_FROM_DOWN },
		{ "from up", SIGN_FROM_UP }, { "pass", SIGN_PASS },	{ "to down", SIGN_TO_DOWN },
		{ "to up", SIGN_TO_UP },     { "check", SIGN_CHECK },	{ "cross", SIGN_ERROR },
		{ "void", SIGN_VOID },	     { "bang", SIGN_BANG },	{ "block", SIGN_BLOCK },
		{ "fork", SIGN_FORK },	     { "return", SIGN_RETURN }, { "dot", SIGN_DOT },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == n && !strncmp(words[i].word, word, n))
			return theme_sign(words[i].sign);
	return "";
}

uint32_t theme_sign_char(enum sign s)
{
	return ascii ? (uint32_t)signs[s].plain[0] : signs[s].c;
}

uint16_t theme_colour(int n)
{
	static const unsigned char cube[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	int r, g, b;

	if (n < 0 || theme == &themes[2])
		return 0;
	if (n < colours)
		return colour(n);
	if (n < 16)
		return colour(cube[n & 7]);
	if (n >= 232)
		return colour(n >= 244 ? 7 : 0);
	n -= 16;
	r = n / 36 >= 3;
	g = n / 6 % 6 >= 3;
	b = n % 6 >= 3;
	return colour(r | g << 1 | b << 2);
}
