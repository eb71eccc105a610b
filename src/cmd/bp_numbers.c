/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of breakpoint numbers, and `if COND`.  Knows no command. */
#include "cmd/bp_numbers.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "engine/bp.h"

static int no_such(struct session *s, const char *text, struct err *err)
{
	if (!bp_first(s))
		return err_set(err, "no breakpoint '%s': no breakpoints are set", text);
	return err_set(err, "no breakpoint '%s': 'info breakpoints' lists them", text);
}

/* -1: not a number. */
static int parse_number(struct session *s, const char *text)
{
	long n;

	if (!*text || !strcmp(text, "$") || !strcmp(text, "$bpnum"))
		return bp_last(s);
	return text_is_number(text, 1, 1000000000, &n) ? (int)n : -1;
}

struct bp *bp_named(struct session *s, const char *text, struct err *err)
{
	int n = parse_number(s, text);
	struct bp *b = n > 0 ? bp_find(s, n) : NULL;

	if (n < 0)
		err_set(err, "invalid number '%s': 'info breakpoints' lists the breakpoints", text);
	else if (!b && !*text)
		err_set(err, "no breakpoint has been set yet: give a number");
	else if (!b)
		no_such(s, text, err);
	return b;
}

struct numbers {
	int *item;
	size_t n, cap;
};

static void add_number(struct numbers *all, int n)
{
	all->item = mem_grow(all->item, &all->cap, all->n + 1, sizeof(*all->item));
	all->item[all->n++] = n;
}

/* "3" or "3-5". */
static int add_word(struct session *s, struct numbers *all, const char *word, struct err *err)
{
	const char *dash = strchr(word, '-');
	struct bp *b;
	char *left;
	int from, to;
	size_t before = all->n;

	if (!dash || dash == word) {
		b = bp_named(s, word, err);
		if (b)
			add_number(all, b->number);
		return b ? 0 : -1;
	}
	left = mem_strn(word, (size_t)(dash - word));
	from = parse_number(s, left);
	to = dash[1] ? parse_number(s, dash + 1) : -1;
	free(left);
	if (from <= 0 || to < from)
		return err_set(err, "invalid range '%s': expected two numbers, as in 3-5", word);
	for (b = bp_first(s); b; b = b->next)
		if (b->number >= from && b->number <= to)
			add_number(all, b->number);
	return all->n > before ? 0 : no_such(s, word, err);
}

int bp_each_named(struct session *s, const char *args, void (*each)(struct session *s, struct bp *b, struct buf *out),
		  struct buf *out, struct err *err)
{
	struct numbers all = { 0 };
	struct buf word = { 0 };
	struct bp *b;
	int rc = 0;
	size_t i;

	while (!rc && cmd_word(&args, &word)) {
		rc = add_word(s, &all, buf_str(&word), err);
		buf_reset(&word);
	}
	for (i = 0; !rc && i < all.n; i++) {
		b = bp_find(s, all.item[i]);
		if (b)
			each(s, b, out);
	}
	free(all.item);
	buf_release(&word);
	return rc;
}

/* After the ` if ` that starts the condition, outside brackets and quotes; NULL: no condition. */
static const char *find_if(const char *args)
{
	const char *p;
	int depth = 0;
	char quote = '\0';

	for (p = args; *p; p++) {
		if (quote) {
			if (*p == '\\' && p[1])
				p++;
			else if (*p == quote)
				quote = '\0';
		} else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p))
			depth--;
		else if (depth <= 0 && !strncmp(p, "if", 2) && (p == args || isspace((unsigned char)p[-1])) &&
			 (isspace((unsigned char)p[2]) || p[2] == '(' || !p[2]))
			return p;
	}
	return NULL;
}

int bp_split_if(const char *args, struct buf *what, struct expr **cond, struct err *err)
{
	const char *p = find_if(args);
	size_t n = p ? (size_t)(p - args) : strlen(args);

	*cond = NULL;
	while (n && isspace((unsigned char)args[n - 1]))
		n--;
	buf_add(what, args, n);
	if (!p)
		return 0;
	p += 2;
	p += strspn(p, " \t");
	if (!*p)
		return err_set(err, "missing condition after 'if'");
	*cond = expr_new(p, err);
	return *cond ? 0 : -1;
}

/* The number, then what an expression can name. */
void bp_complete_condition(struct session *s, const char *args, const char *word, struct val *list)
{
	if (strcspn(args, " \t") < (size_t)(word - args))
		cmd_complete_name(s, args, word, list);
	else
		bp_complete_number(s, args, word, list);
}

void bp_complete_one(struct session *s, const char *args, const char *word, struct val *list)
{
	if (word == args)
		bp_complete_number(s, args, word, list);
}

void bp_complete_number(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct bp *b;
	struct buf where = { 0 };

	(void)args;
	(void)word;
	for (b = bp_first(s); b; b = b->next) {
		buf_reset(&where);
		bp_where(s, b, &where);
		val_pushf(list, "%d\t%s%s", b->number, visible(buf_str(&where)), b->enabled ? "" : ", disabled");
	}
	buf_release(&where);
}
