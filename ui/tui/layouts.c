/* SPDX-License-Identifier: BSD-3-Clause */
/* All layouts: built-in ones and the user's own, and the file in which the latter are saved.  Knows no pane. */
#include "config.h"
#include "ui/tui/layout.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"

/* For screens up to 99x29, from there on, and from 200x50 on. */
static const struct {
	const char *name, *small, *normal, *large;
} built_in[] = {
	{ "default", "{-horizontal {source 11 *stack 8} 1 {asm 7 guards 6 graph 6} 1} 13 output 6",
	  "{-horizontal {source 6 stack 4 locals 3} 1 {asm 6 guards 4 *graph 3} 1} 5 output 1",
	  "{-horizontal {source 6 stack 4 locals 3} 3 {asm 6 guards 4} 3 "
	  "{graph 4 frames 2 breakpoints 2 *display 1} 2} 6 output 1" },
	{ "src", "source 3 *stack 2", "source 4 {-horizontal *stack 1 locals 1} 2 output 1",
	  "source 4 {-horizontal *stack 1 locals 1} 2 output 1" },
	{ "asm", "asm 3 *stack 2", "asm 4 {-horizontal *stack 1 locals 1} 2 output 1",
	  "asm 4 {-horizontal *stack 1 locals 1} 2 output 1" },
	{ "split", "source 1 asm 1", "{-horizontal source 1 asm 1} 4 {-horizontal *stack 1 output 1} 1",
	  "{-horizontal source 1 asm 1} 4 {-horizontal *stack 1 output 1} 1" },
	{ "guards", "guards 2 *source 1", "{-horizontal source 2 guards 3} 4 {-horizontal *entries 1 output 1} 1",
	  "{-horizontal source 2 guards 3} 4 {-horizontal *entries 1 output 1} 1" },
	{ "graph", "graph 2 *source 1", "{-horizontal source 2 graph 3} 4 {-horizontal *locals 1 output 1} 1",
	  "{-horizontal source 2 {graph 3 kernel 2} 3} 4 {-horizontal *locals 1 output 1} 1" },
	{ "output", "output 1", "output 1", "output 1" },
};
enum { BUILT_IN = sizeof(built_in) / sizeof(*built_in) };

static struct {
	struct own {
		char *name, *spec;
	} * own;
	size_t n, cap;
	char **hidden;
	size_t nhidden, hidden_cap;
	char last[LAYOUT_NAME];
	int line_rows;
} known;

/* The name for a screen of this size: a layout resized by hand is saved as NAME@SIZE. */
static const char *size_name(int rows, int cols)
{
	return rows >= 50 && cols >= 200 ? "large" : rows >= 30 && cols >= 100 ? "normal" : "small";
}

static const char *own_spec(const char *name)
{
	size_t i;

	for (i = 0; i < known.n; i++)
		if (!strcmp(known.own[i].name, name))
			return known.own[i].spec;
	return NULL;
}

const char *layouts_spec(const char *name, int rows, int cols)
{
	const char *size = size_name(rows, cols), *spec;
	char own[2 * LAYOUT_NAME];
	size_t i;

	snprintf(own, sizeof(own), "%s@%s", name, size);
	spec = own_spec(own);
	if (!spec)
		spec = own_spec(name);
	for (i = 0; !spec && i < BUILT_IN; i++)
		if (!strcmp(built_in[i].name, name))
			spec = *size == 'l' ? built_in[i].large : *size == 'n' ? built_in[i].normal : built_in[i].small;
	return spec;
}

void layouts_resized(const char *name, int rows, int cols, const char *spec)
{
	char own[2 * LAYOUT_NAME];
	size_t i;

	snprintf(own, sizeof(own), "%s@%s", name, size_name(rows, cols));
	if (spec && strlen(own) < LAYOUT_NAME)
		layouts_add(own, spec);
	for (i = 0; !spec && i < known.n; i++)
		if (!strcmp(known.own[i].name, own)) {
			free(known.own[i].name);
			free(known.own[i].spec);
			known.own[i] = known.own[--known.n];
			return;
		}
}

const char *layouts_name(int i)
{
	size_t k;

	if (i < BUILT_IN)
		return built_in[i].name;
	i -= BUILT_IN;
	for (k = 0; k < known.n; k++)
		if (strcmp(known.own[k].name, "default") && !strchr(known.own[k].name, '@') && i-- == 0)
			return known.own[k].name;
	return NULL;
}

void layouts_add(const char *name, const char *spec)
{
	size_t i;

	for (i = 0; i < known.n; i++)
		if (!strcmp(known.own[i].name, name)) {
			free(known.own[i].spec);
			known.own[i].spec = mem_str(spec);
			return;
		}
	known.own = mem_grow(known.own, &known.cap, known.n + 1, sizeof(*known.own));
	known.own[known.n].name = mem_str(name);
	known.own[known.n++].spec = mem_str(spec);
}

const char *layouts_last(void)
{
	return *known.last ? known.last : "default";
}

void layouts_use(const char *name)
{
	snprintf(known.last, sizeof(known.last), "%s", name);
}

bool layouts_is_hidden(const char *pane)
{
	size_t i;

	for (i = 0; i < known.nhidden; i++)
		if (!strcmp(known.hidden[i], pane))
			return true;
	return false;
}

void layouts_hide(const char *pane, bool hide)
{
	size_t i;

	for (i = 0; i < known.nhidden; i++)
		if (!strcmp(known.hidden[i], pane)) {
			if (!hide) {
				free(known.hidden[i]);
				known.hidden[i] = known.hidden[--known.nhidden];
			}
			return;
		}
	if (!hide)
		return;
	known.hidden = mem_grow(known.hidden, &known.hidden_cap, known.nhidden + 1, sizeof(*known.hidden));
	known.hidden[known.nhidden++] = mem_str(pane);
}

void layouts_show_all(void)
{
	while (known.nhidden)
		free(known.hidden[--known.nhidden]);
}

int layouts_line_rows(void)
{
	return known.line_rows;
}

void layouts_set_line_rows(int n)
{
	known.line_rows = n;
}

/* ---- the file ----------------------------------------------------------------------------------- */

/* "layout NAME SPEC", "use NAME", "hide PANE", "rows N". */
static int read_layout_line(char *line, struct err *err)
{
	char *verb = strtok_r(line, " \t", &line), *name = strtok_r(line, " \t\n", &line);
	struct layout *l;

	if (!verb || *verb == '#')
		return 0;
	if (!name || strlen(name) >= LAYOUT_NAME)
		return err_set(err, "a name is missing after '%.40s'", verb);
	if (!strcmp(verb, "use")) {
		layouts_use(name);
	} else if (!strcmp(verb, "hide")) {
		layouts_hide(name, true);
	} else if (!strcmp(verb, "rows")) {
		known.line_rows = atoi(name) > 0 && atoi(name) < 100 ? atoi(name) : 0;
	} else if (!strcmp(verb, "layout")) {
		line[strcspn(line, "\n")] = '\0';
		l = layout_parse(line, err);
		if (!l)
			return -1;
		layout_free(l);
		layouts_add(name, line);
	} else {
		return err_set(err, "'%.40s' is not known", verb);
	}
	return 0;
}

int layouts_load(const char *file, struct err *err)
{
	int bad = 0, fd = file_open_regular(file);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	struct err why;
	char line[4096];

	if (!f)
		return errno == ENOENT ? 0 : err_set(err, "cannot read the layouts in '%s': %s", file, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && read_layout_line(line, &why) < 0 && !bad++)
			err_set(err, "'%s' has an invalid layout: %s; the default is used instead", file, why.text);
	}
	fclose(f);
	if (!layouts_spec(layouts_last(), 24, 80)) {
		if (!bad++)
			err_set(err, "'%s' names the layout '%s', which is not there; the default is used instead",
				file, layouts_last());
		layouts_use("default");
	}
	return bad ? -1 : 0;
}

int layouts_save(const char *file, struct err *err)
{
	struct buf text = { 0 };
	size_t i;
	int ret;

	buf_addf(&text, "# cdbg: layouts of the full screen; written by cdbg\nuse %s\n", layouts_last());
	if (known.line_rows)
		buf_addf(&text, "rows %d\n", known.line_rows);
	for (i = 0; i < known.nhidden; i++)
		buf_addf(&text, "hide %s\n", known.hidden[i]);
	for (i = 0; i < known.n; i++)
		buf_addf(&text, "layout %s %s\n", known.own[i].name, known.own[i].spec);
	ret = file_write(file, buf_str(&text), text.len, 0666, err);
	buf_release(&text);
	return ret;
}

void layouts_release(void)
{
	layouts_show_all();
	free(known.hidden);
	while (known.n) {
		free(known.own[--known.n].name);
		free(known.own[known.n].spec);
	}
	free(known.own);
	memset(&known, 0, sizeof(known));
}
