/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in the text that inductor wrote: see kernel_text.h. */
#include "code/kernel_text.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool kernel_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *kernel_next_line(const char *p)
{
	p += strcspn(p, "\n");
	return p + (*p == '\n');
}

bool kernel_text_find(const char *text, const char *name, const char **at, size_t *len, int *line)
{
	size_t n = strlen(name);
	const char *p, *end;

	for (p = text, *line = 1; *p; p = kernel_next_line(p), ++*line)
		if (!strncmp(p, name, n) && !strncmp(p + n, " = async_compile.", 17))
			break;
	if (!*p)
		return false;
	for (end = kernel_next_line(p); *end && strncmp(end, "'''", 3); end = kernel_next_line(end))
		;
	*at = p;
	*len = (size_t)(kernel_next_line(end) - p);
	return true;
}

static bool line_has(const char *s, size_t n, const char *what)
{
	size_t k = strlen(what), i;

	for (i = 0; i + k <= n; i++)
		if (!strncmp(s + i, what, k))
			return true;
	return false;
}

/* "a = KERNEL(", "KERNEL.run(": KERNEL; NULL: it calls nothing. */
static char *called(const char *s, size_t n)
{
	const char *equal = memchr(s, '=', n), *paren = memchr(s, '(', n);

	if (!paren)
		return NULL;
	if (equal && equal < paren)
		s = equal + 1 + strspn(equal + 1, " ");
	n = (size_t)(paren - s);
	if (n > 4 && !strncmp(s + n - 4, ".run", 4))
		n -= 4;
	return mem_fmt("%.*s", (int)n, s);
}

/* "a = b[0]": b, the caller's; NULL: the line is something else. */
static char *part_of(const char *s, size_t n, const char *buffer)
{
	size_t k = strlen(buffer), len;

	if (n < k + 4 || strncmp(s, buffer, k) || strncmp(s + k, " = ", 3))
		return NULL;
	for (s += k + 3, len = 0; kernel_word_char(s[len]); len++)
		;
	return len && s[len] == '[' ? mem_fmt("%.*s", (int)len, s) : NULL;
}

/* Does a line that names a buffer not compute it? */
static bool only_names(const char *p, size_t n)
{
	return line_has(p, n, "empty_strided") || line_has(p, n, " = reinterpret_tensor(") ||
	       line_has(p, n, "# reuse") || !strncmp(p, "del ", 4) || !strncmp(p, "return", 6) ||
	       !strncmp(p, "assert_", 7) || !strncmp(p, "#", 1);
}

/* The next line with this word, without its indentation; from: within the text of `call`, which begins at body. */
static const char *call_line_with(const char *body, const char *from, const char *word)
{
	size_t k = strlen(word);
	const char *p;

	for (p = from; (p = strstr(p, word)); p += k)
		if (!kernel_word_char(p[k]) && !(p > body && kernel_word_char(p[-1]))) {
			for (; p > body && p[-1] != '\n'; p--)
				;
			return p + strspn(p, " ");
		}
	return NULL;
}

static const char *call_body(const char *text)
{
	const char *p = strstr(text, "def call(");

	return p ? kernel_next_line(p) : "";
}

/* The text of the function that computes a buffer: that of the sub-graph with whose name the buffer's begins, as
   "true_graph_0_buf1", else `call`. */
static const char *body_of(const char *text, const char *buffer)
{
	const char *p = strstr(buffer, "_buf") ? text : "", *found = NULL;
	size_t n, longest = 0;

	while ((p = strstr(p, "\ndef "))) {
		p += strlen("\ndef ");
		for (n = 0; kernel_word_char(p[n]); n++)
			;
		if (n > longest && !strncmp(p + n, "(args):", 7) && !strncmp(buffer, p, n) && buffer[n] == '_') {
			longest = n;
			found = kernel_next_line(p);
		}
	}
	return found ? found : call_body(text);
}

static bool takes_inputs(const char *p, size_t n)
{
	return n > 7 && !strncmp(p + n - 7, " = args", 7);
}

/* Who writes an input: it is read before. */
static char *last_call_with(const char *body, const char *p, const char *input, const char **at)
{
	const char *end = body;
	char *name = NULL, *next;
	size_t n;

	while (*end == ' ' || *end == '\n')
		end = kernel_next_line(end);
	for (; p && p < end; p = call_line_with(body, kernel_next_line(p), input)) {
		n = strcspn(p, "\n");
		next = only_names(p, n) ? NULL : called(p, n);
		if (!next)
			continue;
		free(name);
		name = next;
		if (at)
			*at = p;
	}
	return name;
}

char *kernel_text_of(const char *text, const char *buffer, const char **at)
{
	const char *body = body_of(text, buffer), *p;
	char *name, *whole;
	size_t n;

	for (p = call_line_with(body, body, buffer); p; p = call_line_with(body, kernel_next_line(p), buffer)) {
		n = strcspn(p, "\n");
		if (takes_inputs(p, n))
			return last_call_with(body, p, buffer, at);
		if (only_names(p, n))
			continue;
		whole = part_of(p, n, buffer);
		if (whole) {
			name = strcmp(whole, buffer) ? kernel_text_of(text, whole, at) : NULL;
			free(whole);
			return name;
		}
		name = called(p, n);
		if (name) {
			if (at)
				*at = p;
			return name;
		}
	}
	return NULL;
}

int kernel_text_calls(const char *text, const char *kernel)
{
	const char *body = call_body(text), *p;
	int n = 0;

	for (p = call_line_with(body, body, kernel); p; p = call_line_with(body, kernel_next_line(p), kernel))
		n++;
	return n;
}

const char *kernel_text_line(const char *text, int line)
{
	while (*text && --line > 0)
		text = kernel_next_line(text);
	return text + strspn(text, " ");
}

bool kernel_text_names(const char *line, const char *word)
{
	return py_text_has_word(line, strcspn(line, "\n"), word);
}
