/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the lines that a text of torch's cache names in the captured graph, by the source text of each line: see
   moved_lines.h.  Knows no statement. */
#include "observe/moved_lines.h"
#include "model/graph.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* A line, once for all nodes on it. */
struct line {
	struct source_line at;	/* of one that the text names: its file is the one that it is in now */
	const struct line *now; /* of one that the text names; NULL: not known */
};

struct lines {
	struct line *line;
	size_t n, cap;
};

/* Files, each once. */
struct files {
	const char **name;
	size_t n, cap;
};

struct moved_lines {
	struct lines then, now;
	struct files old, new;
};

static int by_code(const struct source_line *a, const struct source_line *b)
{
	int order = strcmp(a->file, b->file);

	return order ? order : strcmp(a->code, b->code);
}

static int by_code_and_line(const void *a, const void *b)
{
	const struct source_line *s = &((const struct line *)a)->at, *t = &((const struct line *)b)->at;
	int order = by_code(s, t);

	return order ? order : (s->line > t->line) - (s->line < t->line);
}

static void moved_add(struct lines *l, const struct source_line *at)
{
	l->line = mem_grow(l->line, &l->cap, l->n + 1, sizeof(*l->line));
	l->line[l->n++] = (struct line){ .at = *at };
}

/* Sorted, each once. */
static void sort_lines(struct lines *l)
{
	size_t i, kept = 0;

	if (l->n)
		qsort(l->line, l->n, sizeof(*l->line), by_code_and_line);
	for (i = 0; i < l->n; i++)
		if (!kept || by_code_and_line(&l->line[i], &l->line[kept - 1]))
			l->line[kept++] = l->line[i];
	l->n = kept;
}

/* ---- what the text and the captured graph name ------------------------------------------------------------------ */

static bool comment_line(const char *s, size_t n, struct source_line *at)
{
	static const char begin[] = "File: ", middle[] = ", code: ";
	const char *end = s + n, *file = memmem(s, n, begin, sizeof(begin) - 1), *code, *p, *in = NULL, *colon;

	file = file ? file + sizeof(begin) - 1 : NULL;
	code = file ? memmem(file, (size_t)(end - file), middle, sizeof(middle) - 1) : NULL;
	for (p = file; code && (p = memmem(p, (size_t)(code - p), " in ", 4)); p += 4)
		in = p; /* a file's name may have it, too */
	colon = in ? memrchr(file, ':', (size_t)(in - file)) : NULL;
	if (!colon)
		return false;
	*at = (struct source_line){ .file = py_text_keep_part(file, (size_t)(colon - file)),
				    .line = atoi(colon + 1),
				    .function = py_text_keep_part(in + 4, (size_t)(code - in - 4)),
				    .code = py_text_keep_part(code + sizeof(middle) - 1,
							      (size_t)(end - code) - (sizeof(middle) - 1)) };
	return true;
}

static void moved_add_comments(struct lines *l, const char *text)
{
	struct source_line at;
	size_t n;

	for (; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (text[strspn(text, " ")] == '#' && comment_line(text, n, &at))
			moved_add(l, &at);
	}
}

/* The innermost line of each node, which is the one that the text names. */
static void moved_add_captured(struct lines *l, const struct nodes *g)
{
	const struct source_line *at;
	int i;

	for (i = 0; i < g->n; i++) {
		at = g->node[i].nspots ? &g->spot[g->node[i].spot + g->node[i].nspots - 1] : NULL;
		if (at && at->code)
			moved_add(l, at);
	}
	for (i = 0; i < g->nsub; i++)
		moved_add_captured(l, g->sub[i].nodes);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static bool has_file(const struct files *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->n && f->name[i] != name; i++)
		;
	return i < f->n;
}

static void files_add(struct files *f, const struct lines *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (!has_file(f, l->line[i].at.file)) {
			f->name = mem_grow(f->name, &f->cap, f->n + 1, sizeof(*f->name));
			f->name[f->n++] = l->line[i].at.file;
		}
}

/* The only one of f that is not in `other` and, if like is not NULL, has the name of that one; NULL: there is none. */
static const char *only_file(const struct files *f, const struct files *other, const char *like)
{
	const char *found = NULL;
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (has_file(other, f->name[i]) ||
		    (like && strcmp(py_text_file_name(f->name[i]), py_text_file_name(like))))
			continue;
		if (found)
			return NULL;
		found = f->name[i];
	}
	return found;
}

/* Where the file is now: itself, else one of the same name in another folder, else the only one that is left. */
static const char *moved_file(const struct moved_lines *m, const char *file)
{
	const char *found = has_file(&m->new, file) ? file : only_file(&m->new, &m->old, file);

	if (!found && only_file(&m->old, &m->new, NULL) == file)
		found = only_file(&m->new, &m->old, NULL);
	return found ? found : file;
}

/* ---- which line is which ---------------------------------------------------------------------------------------- */

/* Are all of them there, so many lines further down? */
static bool moved_by(struct line *then, size_t n, const struct line *now, size_t of, int by)
{
	struct line moved;
	size_t i;

	for (i = 0; i < n; i++) {
		moved = then[i];
		moved.at.line += by;
		then[i].now = bsearch(&moved, now, of, sizeof(moved), by_code_and_line);
		if (!then[i].now)
			return false;
	}
	return true;
}

/* Lines of one text: where they were; else one by one; else, if the graph has more of them now, further down together,
   if there is one way to do that. */
static void moved_match_alike(struct line *then, size_t n, const struct line *now, size_t of)
{
	size_t i, ways = 0;
	int by = 0;

	if (moved_by(then, n, now, of, 0))
		return;
	for (i = 0; i < of && n < of; i++)
		if (moved_by(then, n, now, of, now[i].at.line - then->at.line)) {
			by = now[i].at.line - then->at.line;
			ways++;
		}
	if (ways == 1)
		moved_by(then, n, now, of, by);
	for (i = 0; i < n && ways != 1; i++)
		then[i].now = n == of ? &now[i] : NULL;
}

static size_t moved_same_code(const struct lines *l, size_t from)
{
	size_t i = from;

	while (i < l->n && !by_code(&l->line[i].at, &l->line[from].at))
		i++;
	return i - from;
}

static void moved_match(struct moved_lines *m)
{
	size_t i, k = 0, n, of;
	int order;

	for (i = 0; i < m->then.n; i += n) {
		n = moved_same_code(&m->then, i);
		for (order = -1; k < m->now.n && (order = by_code(&m->now.line[k].at, &m->then.line[i].at)) < 0; k++)
			;
		of = order ? 0 : moved_same_code(&m->now, k);
		if (of)
			moved_match_alike(&m->then.line[i], n, &m->now.line[k], of);
	}
}

struct moved_lines *moved_lines_new(const struct nodes *now, const char *text)
{
	struct moved_lines *m = mem_alloc(sizeof(*m));
	size_t i;

	moved_add_comments(&m->then, text);
	if (now)
		moved_add_captured(&m->now, now);
	files_add(&m->old, &m->then);
	files_add(&m->new, &m->now);
	for (i = 0; i < m->then.n; i++)
		m->then.line[i].at.file = moved_file(m, m->then.line[i].at.file);
	sort_lines(&m->then);
	sort_lines(&m->now);
	moved_match(m);
	for (i = 0; i < m->then.n && !m->now.n; i++)
		m->then.line[i].now = &m->then.line[i];
	return m;
}

const struct source_line *moved_lines_find(const struct moved_lines *m, const char *comment, size_t n)
{
	const struct line *found = NULL;
	struct line one = { 0 };

	if (comment_line(comment, n, &one.at)) {
		one.at.file = moved_file(m, one.at.file);
		found = bsearch(&one, m->then.line, m->then.n, sizeof(one), by_code_and_line);
	}
	return found && found->now ? &found->now->at : NULL;
}

void moved_lines_free(struct moved_lines *m)
{
	free(m->then.line);
	free(m->now.line);
	free(m->old.name);
	free(m->new.name);
	free(m);
}
