/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a graph broke and why a function was compiled again: texts of torch, divided into the parts that a person reads.
   Knows the layout of torch's messages, but no page. */
#include "report/page.h"
#include "report/html.h"
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

void page_why(struct buf *out, const char *why)
{
	struct buf people = { 0 };
	const char *s, *next;
	size_t head, n;
	char *text;

	if (!entry_prefix(why)) {
		html(out, "<p class=\"pre\">%s</p>", why);
		return;
	}
	html(out, "<ul class=\"reasons\">\n");
	for (s = why; s; s = next) {
		next = next_reason(s);
		head = entry_prefix(s);
		n = next ? (size_t)(next - s) - 2 - head : strlen(s) - head;
		text = mem_strn(s, head - 2);
		html(out, "<li>entry %s: ", text);
		free(text);
		text = mem_strn(s + head, n);
		source_people(text, &people);
		html(out, "<code class=\"pre\">%s</code></li>\n", buf_str(&people));
		free(text);
		buf_release(&people);
	}
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
			html(out, "<br><span class=\"hint\">Remedy: %s</span>", text);
		free(text);
	}
	html(out, "</div>\n<details><summary>The whole message of torch</summary><pre>%s</pre></details>", reason);
}

void page_why_no_entry(struct page *p, const struct val *e)
{
	const char *why = val_text(e, "recompiled_because");

	html(p->out, "<div class=\"why\">Why it was compiled: %S\n",
	     entry_prefix(why) ? "no earlier entry fitted the call. The guard that did not hold, by entry:" : "");
	page_why(p->out, why);
	html(p->out, "</div>\n");
}
