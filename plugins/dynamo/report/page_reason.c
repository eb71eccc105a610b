/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a graph broke and why a function was compiled again: texts of torch, divided into the parts that a person reads.
   Knows the layout of torch's messages, but no page. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include "report/items.h"
#include "code/source_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The length of "0/1: " or "0/1#2: " at the beginning of a text; 0: no entry is named there. */
static size_t entry_prefix(const char *s)
{
	const char *p = s + strspn(s, "0123456789");

	if (p == s || *p != '/' || !isdigit((unsigned char)p[1]))
		return 0;
	p += 1 + strspn(p + 1, "0123456789#");
	return p[0] == ':' && p[1] == ' ' ? (size_t)(p - s) + 2 : 0;
}

/* Where the reason of the next entry begins. */
static const char *next_reason(const char *s)
{
	const char *p = s;

	while ((p = strstr(p, "; "))) {
		p += 2;
		if (entry_prefix(p))
			return p;
	}
	return NULL;
}

static void shown_code(struct buf *out, const char *text)
{
	struct buf b = { 0 };

	source_shown(text, 200, &b);
	html(out, "<code class=\"pre\">%s</code>", buf_str(&b));
	buf_release(&b);
}

/* What a failing guard expected and what it found. */
static void one_value(struct page *p, const struct val *row)
{
	const char *kind = val_text(row, "kind");

	html(p->out, "<li");
	if (p->items && val_get(row, "guard"))
		page_item(p, items_number(p->items, "guard %lld", val_number(row, "guard", 0)));
	html(p->out, ">");
	if (*val_text(row, "source"))
		shown_code(p->out, val_text(row, "source"));
	else
		html(p->out, "%s", !*kind || !strcmp(kind, "LAMBDA_GUARD") ? "a condition" : kind);
	html(p->out, ": expected ");
	shown_code(p->out, val_text(row, "expected"));
	if (*val_text(row, "live")) {
		html(p->out, ", is ");
		shown_code(p->out, val_text(row, "live"));
	}
	html(p->out, "</li>\n");
}

/* An entry as Dynamo calls it; ours has "#2" where Dynamo began to count again. */
static bool is_called(const struct val *row, const char *entry)
{
	size_t n = strlen(entry);
	const char *id = val_text(row, "entry");

	return !strncmp(id, entry, n) && (!id[n] || id[n] == '#');
}

/* The guards of an entry that failed, each with its values. */
static void failing_values(struct page *p, const struct val *e, const char *entry)
{
	enum { MOST = 6 };
	const struct val *list = data_list(e, "why"), *row;
	size_t i, n = 0, all = 0;

	for (i = 0; i < list->u.list.n; i++) {
		row = list->u.list.item[i];
		if (!is_called(row, entry) || !*val_text(row, "expected"))
			continue;
		if (!n++)
			html(p->out, "\n<ul class=\"values\">\n");
		if (n <= MOST)
			one_value(p, row);
		all = (size_t)val_number(row, "failed", 0);
	}
	if (all > MOST)
		html(p->out, "<li>%z more guard%S failed</li>\n", all - MOST, all == MOST + 1 ? "" : "s");
	if (n)
		html(p->out, "</ul>\n");
}

bool page_remedies(struct page *p, const struct val *e)
{
	enum { MOST = 4 };
	const struct val *row[MOST];
	size_t n = data_remedies(e, row, MOST), i;

	for (i = 0; i < n; i++) {
		html(p->out, "<p class=\"remedy\"><b>Remedy</b>");
		if (*val_text(row[i], "source")) {
			html(p->out, " for ");
			shown_code(p->out, val_text(row[i], "source"));
		}
		html(p->out, ": %s</p>\n", val_text(row[i], "remedy"));
	}
	return n;
}

const char page_no_remedy[] = "<p class=\"empty\">Reports of programs that run with <code>python -m cdbg --report DIR"
			      "</code>, or after <code>set report-keep on</code>, name what to change.</p>\n";

static int reasons_left(const char *s)
{
	int n = 0;

	for (; s; s = next_reason(s))
		n++;
	return n;
}

void page_why(struct page *p, const struct val *e)
{
	const int most = p->items ? 10 :
				    3; /* the first page has less; what n entries show of each other grows with n * n */
	const char *why = val_text(e, "recompiled_because"), *s, *next;
	struct buf *out = p->out, people = { 0 };
	size_t head, n;
	int shown = 0, left;
	char *text;

	if (!entry_prefix(why)) {
		html(out, "<p class=\"pre\">%s</p>", why);
		return;
	}
	html(out, "<ul class=\"reasons\">\n");
	for (s = why; s && shown++ < most; s = next) {
		next = next_reason(s);
		head = entry_prefix(s);
		n = next ? (size_t)(next - s) - 2 - head : strlen(s) - head;
		text = mem_strn(s + head, n);
		source_people(text, &people);
		free(text);
		text = mem_strn(s, head - 2);
		html(out, "<li>entry %s: <code class=\"pre\">%s</code>", text, buf_str(&people));
		failing_values(p, e, text);
		html(out, "</li>\n");
		free(text);
		buf_release(&people);
	}
	left = reasons_left(s);
	if (left)
		html(out,
		     "<li>%d more earlier entr%S did not fit: <code>recompiled_because</code> in index.json names the "
		     "guards</li>\n",
		     left, left == 1 ? "y" : "ies");
	html(out, "</ul>\n");
}

/* The rest of the line that begins with a word, as "Hint: "; from is moved past it.  Owned by the caller; NULL: there
   is none. */
static char *line_with(const char **from, const char *word)
{
	const char *p = strstr(*from, word);
	size_t n;

	if (!p)
		return NULL;
	p += strlen(word);
	n = strcspn(p, "\n");
	*from = p + n;
	return mem_strn(p, n);
}

void page_break_reason(struct buf *out, const struct val *b)
{
	const char *reason = val_text(b, "reason"), *kind = val_text(b, "kind"), *at = reason;
	char *text = line_with(&at, "\n  Explanation: ");

	html(out, "<div class=\"because\"><b>%s</b>", *kind ? kind : "Reason");
	if (text)
		html(out, ": %s", text);
	free(text);
	for (at = reason; (text = line_with(&at, "\n  Hint: "));) {
		if (strncmp(text, "Please report an issue", 22))
			html(out, "<br><span class=\"remedy\"><b>Remedy</b>: %s</span>", text);
		free(text);
	}
	html(out, "</div>\n<details><summary>The whole message of torch</summary><pre>%s</pre></details>", reason);
}

void page_why_no_entry(struct page *p, const struct val *e)
{
	const char *why = val_text(e, "recompiled_because");

	html(p->out, "<div class=\"why\">Why it was compiled: %S\n",
	     entry_prefix(why) ? "no earlier entry fitted the call. Guards that did not hold, by entry, with what they "
				 "expected and what they found:" :
				 "");
	page_why(p, e);
	if (!page_remedies(p, e) && entry_prefix(why))
		html(p->out, "%S", page_no_remedy);
	html(p->out, "</div>\n");
}
