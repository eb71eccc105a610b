/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides where a soft keyword is a keyword, by CPython's grammar: a line that cannot be an expression is the
   statement. */
#include "py/interp/soft.h"
#include <string.h>

static bool in_match(const struct soft *s)
{
	return s->nblocks > 0 && s->nblocks <= SOFT_BLOCKS && s->block[s->nblocks - 1];
}

static enum soft_answer soft_end_line(struct soft *s)
{
	/* an expression or an annotation does not end with a colon */
	bool header = s->match && s->colon && s->nth > 2;

	if (s->nth)
		s->header = header;
	s->nth = s->depth = 0;
	s->match = s->type = s->colon = s->pattern = false;
	return header ? SOFT_FIRST : SOFT_NONE;
}

static enum soft_answer take_op(struct soft *s, const char *text)
{
	if (strchr("([{", *text))
		s->depth++;
	else if (strchr(")]}", *text) && s->depth > 0)
		s->depth--;
	s->colon = !s->depth && !strcmp(text, ":");
	if (s->colon)
		s->pattern = false;
	if (s->nth == 2 && (*text == ':' || *text == '.' || *text == '=' || *text == ','))
		s->match = false;
	return SOFT_NONE;
}

static enum soft_answer take_name(struct soft *s, const char *text, bool has_type)
{
	s->colon = false;
	if (s->nth == 1) {
		s->match = !strcmp(text, "match");
		s->type = has_type && !strcmp(text, "type");
		s->pattern = in_match(s) && !strcmp(text, "case");
		return s->pattern ? SOFT_THIS : SOFT_NONE;
	}
	if (s->nth == 2 && s->type)
		return SOFT_FIRST;
	return s->pattern && !strcmp(text, "_") ? SOFT_THIS : SOFT_NONE;
}

enum soft_answer soft_take(struct soft *s, enum soft_token type, const char *text, bool has_type)
{
	switch (type) {
	case SOFT_NEWLINE:
		return soft_end_line(s);
	case SOFT_INDENT:
		if (s->nblocks < SOFT_BLOCKS)
			s->block[s->nblocks] = s->header;
		s->nblocks++;
		return SOFT_NONE;
	case SOFT_DEDENT:
		s->nblocks -= s->nblocks > 0;
		return SOFT_NONE;
	default:
		break;
	}
	s->nth++;
	if (type == SOFT_OP)
		return take_op(s, text);
	if (type == SOFT_NAME)
		return take_name(s, text, has_type);
	s->colon = false;
	if (type == SOFT_KEYWORD && !strcmp(text, "if") && !s->depth)
		s->pattern = false;
	return SOFT_NONE;
}
