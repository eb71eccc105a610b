/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours and signs, by what they mean.  Knows neither panes nor curses. */
#ifndef CDBG_THEME_H
#define CDBG_THEME_H
#include "ui/term/grid.h"
#include "view/view.h"

enum style {
	/* one for each role of a cell, in the order of enum role */
	STYLE_TEXT,
	STYLE_NUMBER,
	STYLE_ADDRESS,
	STYLE_OPCODE,
	STYLE_NAME,
	STYLE_VALUE,
	STYLE_TYPE,
	STYLE_DIM,
	STYLE_ERROR,
	STYLE_CURRENT,
	STYLE_CHANGED,
	STYLE_BREAK,
	/* parts of the screen */
	STYLE_LINE,
	STYLE_TITLE,
	STYLE_TITLE_FOCUS,
	STYLE_STATUS,
	STYLE_STATUS_RUN,
	STYLE_PROMPT,
	STYLE_ECHO,
	STYLE_NOTE,
	STYLE_POPUP,
	STYLE_POPUP_ON,
	STYLE_MATCH,
	/* Python source */
	STYLE_KEYWORD,
	STYLE_STRING,
	STYLE_COMMENT,
	STYLE_LITERAL,
	STYLE_DEFINED,
	STYLE_BUILTIN,
	STYLE_DECORATOR,
	/* whole rows */
	STYLE_ROW_CURRENT,
	STYLE_ROW_CURSOR,
	STYLE_ROW_LINKED,
	STYLE_COUNT
};

/* Signs that have a plain form. */
enum sign {
	SIGN_HLINE,
	SIGN_VLINE,
	SIGN_CROSS_DOWN,
	SIGN_CROSS_UP,
	SIGN_CROSS_LEFT,
	SIGN_CROSS_RIGHT,
	SIGN_CROSS,
	SIGN_BREAK,
	SIGN_BREAK_OFF,
	SIGN_CURRENT,
	SIGN_CHANGED,
	SIGN_ERROR,
	SIGN_OPERAND,
	SIGN_LINKED,
	SIGN_CURSOR,
	SIGN_MORE,
	SIGN_ABOVE,
	SIGN_BELOW,
	SIGN_DOT,
	SIGN_CHECK,
	SIGN_VOID,
	SIGN_BANG,
	SIGN_BLOCK,
	SIGN_FORK,
	SIGN_RETURN,
	SIGN_OPEN,
	SIGN_SHUT,
	SIGN_FROM_DOWN,
	SIGN_FROM_UP,
	SIGN_PASS,
	SIGN_TO_DOWN,
	SIGN_TO_UP,
	SIGN_COUNT
};

/* name: "dark", "light", "none"; -1 when there is none of that name.  colours: what the terminal has. */
int theme_set(const char *name, int colours, bool ascii);
struct look theme_look(enum style s);
struct look theme_role(enum role r);
struct look theme_syntax(char kind); /* of a byte of Python source, enum token_kind */
const char *theme_sign(enum sign s);
uint32_t theme_sign_char(enum sign s);
/* The sign for a word of n bytes of a view: "open", "check"; "" if there is no such sign. */
const char *theme_sign_named(const char *word, size_t n);
/* A colour of the program's output as this terminal can show it: 0..255 of the usual 256, or -1 for its own. */
uint16_t theme_colour(int n);

#endif
