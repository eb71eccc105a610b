/* SPDX-License-Identifier: BSD-3-Clause */
/* The matcher of argument descriptions: see usage.h.  It tries the forms in order and lets an argument take as few
   words as the rest of the description allows.  Knows no command. */
#include "cmd/usage.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmd/cmd.h"

/* What follows the part of the description that is being matched. */
struct rest {
	const char *d, *end;
	const struct rest *up;
};

struct match {
	const struct usage *u;
	struct {
		const char *name, *at;
		size_t len, n;
	} item[CMD_ARGS_MAX];
	int n;
	const char *far;  /* how far the text was understood */
	const char *want; /* the token that may follow there, a required one first; NULL: none */
	size_t want_len;
	bool want_optional;
	struct err bad; /* the error of a kind with the fewest words; empty: no error */
	void (*each)(void *arg, const char *word, size_t n, const struct cmd_kind *kind);
	void *arg;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *s, const char *end)
{
	while ((!end || s < end) && blank(*s))
		s++;
	return s;
}

/* ---- tokens of a description -------------------------------------------------------------------------------- */

static const char *token_end(const char *d, const char *end)
{
	int depth = 0;

	for (; d < end && (depth || !blank(*d)); d++)
		depth += *d == '[' ? 1 : *d == ']' ? -1 : 0;
	return d;
}

/* "[...]" as a whole, not "[ENTRY]*OFFSET". */
static bool is_group(const char *d, const char *end)
{
	int depth = 0;

	if (*d != '[')
		return false;
	for (; d < end; d++) {
		depth += *d == '[' ? 1 : *d == ']' ? -1 : 0;
		if (!depth)
			return d + 1 == end;
	}
	return false;
}

static bool is_literal(const char *d, size_t n)
{
	while (n-- > 0)
		if (isupper((unsigned char)*d++))
			return false;
	return true;
}

/* "GUARD..." is GUARD, and takes more than one word. */
static size_t without_dots(const char *d, size_t n, bool *many)
{
	*many = n > 3 && !strncmp(d + n - 3, "...", 3);
	return *many ? n - 3 : n;
}

static const struct cmd_kind *find_kind(const struct cmd_kind *k, const char *name, size_t n)
{
	for (; k && k->name; k++)
		if (strlen(k->name) == n && !strncmp(k->name, name, n))
			return k;
	return NULL;
}

static const struct cmd_kind *usage_kind(const struct match *m, const char *name, size_t n)
{
	static const struct cmd_kind any = { .name = "" };
	const struct cmd_kind *k = find_kind(m->u->kinds, name, n);

	if (!k)
		k = find_kind(m->u->core, name, n);
	return k ? k : &any;
}

/* Is the token at d inside brackets of the description? */
static bool may_be_left_out(const struct match *m, const char *d)
{
	const char *p;
	int depth = 0;

	for (p = m->u->args; p < d; p++)
		depth += *p == '[' ? 1 : *p == ']' ? -1 : 0;
	return depth > 0;
}

/* ---- matching ------------------------------------------------------------------------------------------------- */

static bool match_forms(struct match *m, const char *d, const char *end, const struct rest *rest, const char *p);

static void note_far(struct match *m, const char *p, const char *token, size_t n)
{
	bool optional = token && may_be_left_out(m, token);

	if (p > m->far) {
		m->far = p;
		m->want = NULL;
	}
	if (p == m->far && token && (!m->want || (m->want_optional && !optional))) {
		m->want = token;
		m->want_len = n;
		m->want_optional = optional;
	}
}

static bool usage_keep(struct match *m, const char *name, size_t len, const char *at, size_t n)
{
	if (m->n == CMD_ARGS_MAX)
		return false;
	m->item[m->n].name = name;
	m->item[m->n].len = len;
	m->item[m->n].at = at;
	m->item[m->n++].n = n;
	return true;
}

static void tell_next(struct match *m, const char *d, size_t n)
{
	const char *bar;
	size_t len;
	bool many;

	for (;; d = bar + 1, n -= len + 1) {
		bar = *d == '[' ? NULL : memchr(d, '|', n);
		len = bar ? (size_t)(bar - d) : n;
		if (is_literal(d, len))
			m->each(m->arg, d, len, NULL);
		else
			m->each(m->arg, d, len, usage_kind(m, d, without_dots(d, len, &many)));
		if (!bar)
			return;
	}
}

/* One of the literal alternatives of a token. */
static bool match_literal(struct match *m, const char *token, size_t n, const struct rest *rest, const char *p)
{
	const char *d = token, *bar;
	size_t len, left = n;
	int before = m->n;

	for (;; d = bar + 1, left -= len + 1) {
		bar = *token == '[' ? NULL : memchr(d, '|', left);
		len = bar ? (size_t)(bar - d) : left;
		if (is_literal(d, len) && !strncmp(p, d, len) && (!p[len] || blank(p[len]) || *d == '=')) {
			if ((len < n || *d == '-') && !usage_keep(m, token, n, p, len))
				return false;
			if (match_forms(m, rest->d, rest->end, rest->up, p + len))
				return true;
			m->n = before;
		}
		if (!bar)
			return false;
	}
}

/* Does the token stand for arguments at all, for several words, for some that may begin with '-'? */
static void token_kinds(const struct match *m, const char *d, size_t n, bool *any, bool *many, bool *dash)
{
	const struct cmd_kind *k;
	const char *bar;
	size_t len;
	bool dots;

	*any = *many = *dash = false;
	for (;; d = bar + 1, n -= len + 1) {
		bar = *d == '[' ? NULL : memchr(d, '|', n);
		len = bar ? (size_t)(bar - d) : n;
		if (!is_literal(d, len)) {
			k = usage_kind(m, d, without_dots(d, len, &dots));
			*any = true;
			*many = *many || dots || !(k->flags & KIND_WORD);
			*dash = *dash || k->flags & KIND_TEXT;
		}
		if (!bar)
			return;
	}
}

/* Can these words be the token's argument?  A kind of several words may need more of them. */
static bool usage_fits(struct match *m, const char *token, size_t n, const char *at, size_t len)
{
	const struct cmd_kind *k = usage_kind(m, token, n);
	struct err why = { "" };
	char *text;
	bool yes;

	if (!k->check)
		return true;
	text = mem_strn(at, len);
	yes = k->check(text, &why) == 0;
	if (yes)
		m->bad.text[0] = '\0';
	else if (!m->bad.text[0])
		m->bad = why;
	free(text);
	return yes;
}

/* The end of an argument of one word, which ends at q: words in parentheses that follow belong to it if it is valid
   with them. */
static const char *with_parentheses(struct match *m, const char *token, size_t n, const char *start, const char *q)
{
	const char *open = skip_blanks(q, NULL), *close = q > start && *open == '(' ? strchr(open, ')') : NULL;
	const struct cmd_kind *k = usage_kind(m, token, n);
	struct err why;
	char *text;
	bool yes;

	if (!k->check || !close || (close[1] && !blank(close[1])))
		return q;
	text = mem_strn(start, (size_t)(close + 1 - start));
	yes = k->check(text, &why) == 0;
	free(text);
	return yes ? close + 1 : q;
}

static bool match_token(struct match *m, const char *token, size_t n, const struct rest *rest, const char *p)
{
	bool any, many, dash;
	const char *start = skip_blanks(p, NULL), *q;
	int before = m->n;

	note_far(m, start, token, n);
	if (!*start) {
		if (m->each)
			tell_next(m, token, n);
		return false;
	}
	if (match_literal(m, token, n, rest, start))
		return true;
	token_kinds(m, token, n, &any, &many, &dash);
	if (!any || (!dash && *start == '-' && isalpha((unsigned char)start[1])))
		return false;
	for (q = start + 1;; q++) {
		if (*q && !blank(*q) && *q != '=')
			continue;
		if (m->each && !many && blank(*q) && usage_kind(m, token, n)->check)
			m->each(m->arg, start, 0, usage_kind(m, token, n));
		if (!many)
			q = with_parentheses(m, token, n, start, q);
		if (many && !usage_fits(m, token, n, start, (size_t)(q - start)) && *q)
			continue;
		if ((!*q || blank(*q) || (rest->d < rest->end && *skip_blanks(rest->d, rest->end) == '=')) &&
		    usage_keep(m, token, n, start, (size_t)(q - start))) {
			if (match_forms(m, rest->d, rest->end, rest->up, q))
				return true;
			m->n = before;
		}
		if (!*q || (!many && blank(*q)))
			break;
	}
	if (m->each && many && !*q && blank(q[-1]))
		tell_next(m, token, n);
	return false;
}

static bool match_sequence(struct match *m, const char *d, const char *end, const struct rest *rest, const char *p)
{
	struct rest after;

	d = skip_blanks(d, end);
	if (d == end) {
		if (rest)
			return match_sequence(m, rest->d, rest->end, rest->up, p);
		p = skip_blanks(p, NULL);
		note_far(m, p, NULL, 0);
		return !*p && !m->each;
	}
	after.d = token_end(d, end);
	after.end = end;
	after.up = rest;
	if (is_group(d, after.d))
		return match_forms(m, d + 1, after.d - 1, &after, p) || match_sequence(m, after.d, end, rest, p);
	return match_token(m, d, (size_t)(after.d - d), &after, p);
}

/* One of the forms between " | ". */
static bool match_forms(struct match *m, const char *d, const char *end, const struct rest *rest, const char *p)
{
	const char *bar;
	int depth;

	for (;; d = bar + 2) {
		for (bar = d, depth = 0; bar < end; bar++) {
			depth += *bar == '[' ? 1 : *bar == ']' ? -1 : 0;
			if (!depth && end - bar > 2 && !strncmp(bar, " | ", 3))
				break;
		}
		if (match_sequence(m, d, bar, rest, p))
			return true;
		if (bar >= end)
			return false;
	}
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

/* An option may also be the last word: returns the text without it, *flag is the option; NULL: there is none. */
static char *cut_last_option(const struct usage *u, const char *text, const char **flag, size_t *len)
{
	const char *end = text + strlen(text), *word, *d;

	while (end > text && blank(end[-1]))
		end--;
	for (word = end; word > text && !blank(word[-1]); word--)
		;
	*len = (size_t)(end - word);
	if (*len < 2 || *word != '-' || word == text)
		return NULL;
	for (d = strstr(u->args, "[-"); d; d = strstr(d + 1, "[-"))
		if (!strncmp(d + 1, word, *len) && d[1 + *len] == ']') {
			*flag = d + 1;
			return mem_strn(text, (size_t)(word - text));
		}
	return NULL;
}

/* Is this option one of the usage, at another place? */
static bool takes_option(const char *args, const char *option, size_t len)
{
	const char *d;

	for (d = strstr(args, "[-"); d; d = strstr(d + 1, "[-"))
		if (!strncmp(d + 1, option, len) && (d[1 + len] == ']' || d[1 + len] == ' '))
			return true;
	return false;
}

static int usage_refuse(const struct match *m, struct err *err)
{
	const struct usage *u = m->u;
	const char *args = u->args ? u->args : "", *far = m->far;
	int n = (int)text_fit(far, 60);

	if (m->bad.text[0])
		return err_set(err, "%s", m->bad.text);
	if (!*far && m->want)
		return err_set(err, "'%s %s' needs %.*s; usage: %s %s %s", u->before, u->name, (int)m->want_len,
			       m->want, u->before, u->name, args);
	if (*far == '-' && isalpha((unsigned char)far[1]))
		return err_set(err, "%s option '%.*s' of '%s %s'; usage: %s %s %s",
			       takes_option(args, far, strcspn(far, " \t")) ? "misplaced" : "unknown",
			       (int)strcspn(far, " \t"), far, u->before, u->name, u->before, u->name, args);
	return err_set(err, "unexpected argument '%.*s' of '%s %s'; usage: %s %s%s%s", n, far, u->before, u->name,
		       u->before, u->name, *args ? " " : "", args);
}

/* What each kind requires of its words. */
static int check_items(const struct match *m, const struct cmd_args *a, struct err *err)
{
	const struct cmd_kind *k;
	int i;

	for (i = 0; i < a->n; i++) {
		k = usage_kind(m, a->item[i].name, a->item[i].len);
		if (k->check && k->check(a->item[i].text, err) < 0)
			return -1;
	}
	return 0;
}

int usage_parse(const struct usage *u, const char *text, struct cmd_args *out, struct err *err)
{
	struct match m = { .u = u };
	const char *args = u->args ? u->args : "", *flag = NULL;
	size_t len = 0;
	char *cut = cut_last_option(u->args ? u : &(struct usage){ .args = "" }, text, &flag, &len);
	int i, ret = 0;

	memset(out, 0, sizeof(*out));
	out->text = text;
	m.far = cut ? cut : text;
	if (!match_forms(&m, args, args + strlen(args), NULL, m.far))
		ret = usage_refuse(&m, err);
	if (ret == 0 && flag)
		usage_keep(&m, flag, len, flag, len);
	for (i = 0; ret == 0 && i < m.n; i++) {
		out->item[i].name = m.item[i].name;
		out->item[i].len = m.item[i].len;
		out->item[i].text = mem_strn(m.item[i].at, m.item[i].n);
		out->n++;
	}
	if (ret == 0)
		ret = check_items(&m, out, err);
	if (ret < 0)
		usage_release(out);
	free(cut);
	return ret;
}

void usage_release(struct cmd_args *a)
{
	while (a->n > 0)
		free(a->item[--a->n].text);
}

void usage_next(const struct usage *u, const char *text,
		void (*each)(void *arg, const char *word, size_t n, const struct cmd_kind *kind), void *arg)
{
	struct match m = { .u = u, .each = each, .arg = arg, .far = text };
	const char *args = u->args ? u->args : "";

	match_forms(&m, args, args + strlen(args), NULL, text);
}
