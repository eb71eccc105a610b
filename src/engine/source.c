/* SPDX-License-Identifier: BSD-3-Clause */
/* Source text by file and line: from the file, else from Python's linecache; what its tokens are.  Cached for the
   session. */
#include "config.h"
#include "engine/source.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "engine/modules.h"
#include "engine/session.h"
#include "py/interp/host.h"
#include "py/interp/path.h"
#include "py/interp/tokens.h"

enum {
	SOURCE_MAX = 64 << 20, /* bytes of one file */
	SYNTAX_MAX = 30000,    /* lines of a file whose tokens are read */
};

struct source {
	char *name; /* as co_filename has it */
	char *text; /* newlines are NULs; NULL: there is no source */
	char **line;
	size_t n, cap;
	bool asked_python; /* linecache was called, which is possible only at a stop */
	char **kind;	   /* of n lines, as tokens_read() fills it; NULL: nothing is read yet */
	int read;	   /* lines whose tokens are known */
};

struct source_cache {
	struct source **file; /* pointers: lines are borrowed */
	size_t n, cap;
	struct buf found;   /* source_find()'s answer */
	struct source text; /* source_text_syntax()'s last one; name: a copy of the text */
};

static void split_source(struct source *f, char *text)
{
	char *p = text, *end;

	f->text = text;
	if (!strncmp(p, "\xef\xbb\xbf", 3)) /* a mark that editors put there, and that Python skips */
		p += 3;
	while (*p) {
		f->line = mem_grow(f->line, &f->cap, f->n + 1, sizeof(*f->line));
		f->line[f->n++] = p;
		end = strpbrk(p, "\r\n");
		if (!end)
			return;
		p = end + (end[0] == '\r' && end[1] == '\n' ? 2 : 1);
		*end = '\0';
	}
}

static char *read_file(const char *name)
{
	struct buf b = { 0 };
	int fd = *name == '<' ? -1 : file_open_regular(name);
	char part[65536];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || st.st_size > SOURCE_MAX) {
		close(fd);
		return NULL;
	}
	while ((n = read(fd, part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
		buf_add(&b, part, n < 0 ? 0 : (size_t)n);
	close(fd);
	return buf_detach(&b);
}

static struct source_cache *cache(struct session *s)
{
	if (!s->sources)
		s->sources = mem_alloc(sizeof(*s->sources));
	return s->sources;
}

static struct source *source_read(struct session *s, const char *name)
{
	struct source_cache *c = cache(s);
	struct source *f = NULL;
	char *text;
	size_t i;

	for (i = c->n; i > 0 && !f; i--) /* the newest are asked for most */
		if (!strcmp(c->file[i - 1]->name, name))
			f = c->file[i - 1];
	if (!f) {
		f = mem_alloc(sizeof(*f));
		f->name = mem_str(name);
		c->file = mem_grow(c->file, &c->cap, c->n + 1, sizeof(*c->file));
		c->file[c->n++] = f;
		text = read_file(name);
		if (text)
			split_source(f, text);
	}
	if (!f->text && !f->asked_python && s->thread && !s->gone) {
		f->asked_python = true;
		text = host_linecache(name, SOURCE_MAX);
		if (text)
			split_source(f, text);
	}
	return f;
}

void source_given(struct session *s, const char *name, const char *text)
{
	struct source *f = source_read(s, name);

	if (!f->text)
		split_source(f, mem_str(text));
}

const char *source_line(struct session *s, const char *file, int line)
{
	struct source *f = file ? source_read(s, file) : NULL;

	return f && line > 0 && (size_t)line <= f->n ? f->line[line - 1] : NULL;
}

int source_lines(struct session *s, const char *file, struct err *err)
{
	struct source *f = file ? source_read(s, file) : NULL;

	if (!f || !f->text)
		return err_set(err, "no source for '%s'", file ? file : "");
	return (int)f->n;
}

/* ---- tokens ------------------------------------------------------------------------------------- */

static const char *syntax(struct session *s, struct source *f, int line)
{
	if (!f || !f->text || line < 1 || (size_t)line > f->n || f->n > SYNTAX_MAX)
		return NULL;
	if (line > f->read && s->thread) {
		if (!f->kind)
			f->kind = mem_alloc(f->n * sizeof(*f->kind));
		f->read = tokens_read(f->line, (int)f->n, f->read, line - 1, f->kind);
	}
	return line <= f->read ? f->kind[line - 1] : NULL;
}

const char *source_syntax(struct session *s, const char *file, int line)
{
	return syntax(s, file ? source_read(s, file) : NULL, line);
}

static void empty(struct source *f)
{
	size_t i;

	for (i = 0; f->kind && i < f->n; i++)
		free(f->kind[i]);
	free(f->kind);
	free(f->name);
	free(f->text);
	free(f->line);
	memset(f, 0, sizeof(*f));
}

const char *source_text_syntax(struct session *s, const char *text, int line)
{
	struct source *f = &cache(s)->text;

	if (!f->name || strcmp(f->name, text)) {
		empty(f);
		f->name = mem_str(text);
		split_source(f, mem_str(text));
	}
	return syntax(s, f, line);
}

/* ---- files -------------------------------------------------------------------------------------- */

/* Does path end in the components of name? */
static bool is_tail(const char *path, const char *name)
{
	size_t n = strlen(name), len = strlen(path);

	return n && n <= len && !strcmp(path + len - n, name) && (n == len || path[len - n - 1] == '/');
}

const char *source_find(struct session *s, const char *name)
{
	struct source_cache *c;
	struct py_code *co;
	char real[PATH_MAX];
	const char *file;
	int i;

	while (name[0] == '.' && name[1] == '/')
		name += 2;
	for (i = 0; (co = modules_code(i)); i++) {
		file = code_file(code_get(co));
		if (is_tail(file, name))
			return file;
	}
	if ((!realpath(name, real) && !path_importable(name, real)) || !source_read(s, real)->text)
		return NULL;
	c = s->sources; /* source_read() made it */
	buf_reset(&c->found);
	buf_adds(&c->found, real);
	return c->found.s;
}
