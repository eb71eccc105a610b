/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a location has no instruction yet: the module is not loaded, or has no such function.  Knows no breakpoint. */
#include "engine/pending.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/pick.h"
#include "engine/loc.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "py/interp/lookup.h"
#include "py/interp/path.h"

struct names {
	const char **item; /* borrowed from code objects */
	size_t n, cap;
};

static void names_add(void *arg, struct py_code *co)
{
	struct names *all = arg;

	all->item = mem_grow(all->item, &all->cap, all->n + 1, sizeof(*all->item));
	all->item[all->n++] = code_qualname(code_get(co));
}

/* "<module>", "<lambda>" and functions inside functions are not what was meant. */
static const char *names_at(const void *arg, int i)
{
	const struct names *all = arg;

	if ((size_t)i >= all->n)
		return NULL;
	return strchr(all->item[i], '<') ? "" : all->item[i];
}

/* "; did you mean 'here'?", with before in front of the name; else the remedy. */
static char *or_near(const struct names *all, const char *func, const char *before, char *why, const char *remedy)
{
	struct pick p = { .at = names_at, .arg = all };
	const char *near = pick_nearest(&p, func);
	char *text = near ? mem_fmt("%s; did you mean '%s%s'?", why, before, near) : mem_fmt("%s%s", why, remedy);

	free(why);
	return text;
}

struct library_file {
	const char *name;
	char *found; /* the file with its folder */
};

/* Notes a loaded library's file of this name, and fits none: it has to be typed with its folder. */
static bool note_library(void *arg, const char *file)
{
	struct library_file *l = arg;
	const char *name = text_path_file_name(file);

	if (l->found || strcmp(name, l->name) || path_kind(file) != KIND_LIBRARY || name - file < 2)
		return false;
	for (name--; name > file && name[-1] != '/'; name--)
		;
	l->found = mem_str(name);
	return false;
}

static char *no_file(const char *file)
{
	struct library_file l = { .name = file };
	char *text;

	lookup_files(note_library, NULL, &l);
	text = mem_fmt("no file '%s' is loaded yet%s%s%s", file, l.found ? "; that of a library is '" : "",
		       l.found ? l.found : "", l.found ? "'" : "");
	free(l.found);
	return text;
}

static char *in_file(struct session *s, const char *file, const char *func)
{
	struct names all = { 0 };
	char *before = mem_fmt("%s:", file), *why;

	if (!loc_file_code(s, file, names_add, &all))
		why = no_file(file);
	else
		why = or_near(&all, func, before, mem_fmt("'%s' has no function '%s' yet", file, func), "");
	free(before);
	free(all.item);
	return why;
}

/* Nodes whose names contain what was typed, at most three. */
struct near_nodes {
	const char *core; /* the longest text without wildcards */
	size_t ncore;
	struct buf text;
	int n;
};

static void near_add(void *arg, const char *name)
{
	struct near_nodes *near = arg;
	char *plain = mem_strn(name, strcspn(name, "\t")), *core = mem_strn(near->core, near->ncore);
	char *quoted = mem_fmt("'%s'", plain);

	if (near->n < 3 && strstr(plain, core) && !strstr(buf_str(&near->text), quoted)) {
		buf_addf(&near->text, "%s%s", near->n ? ", " : "", quoted);
		near->n++;
	}
	free(quoted);
	free(core);
	free(plain);
}

static char *no_node(struct session *s, const char *pattern)
{
	const char *p;
	struct near_nodes near = { .core = pattern };
	size_t n;
	char *text;

	for (p = pattern; *p; p += n + (p[n] != '\0')) {
		n = strcspn(p, "*?[].");
		if (n > near.ncore) {
			near.core = p;
			near.ncore = n;
		}
	}
	if (near.ncore > 1)
		plug_node_names(s, near_add, &near);
	text = mem_fmt("no graph has a node '%s' yet%s%s", pattern, near.n ? "; graphs have " : "",
		       buf_str(&near.text));
	buf_release(&near.text);
	return text;
}

/* The length of the longest part of a dotted name, from its beginning, that a loaded module has; 0: none. */
static size_t module_length(const char *name)
{
	const char *dot = name;
	size_t best = 0;
	char *part;
	struct py_obj *v;
	bool module;

	while ((dot = strchr(dot, '.'))) {
		part = mem_strn(name, (size_t)(dot - name));
		v = lookup_dotted(part, &module);
		if (v && module)
			best = (size_t)(dot - name);
		py_unref(v);
		free(part);
		dot++;
	}
	return best;
}

static char *of_name(struct session *s, const char *func)
{
	const char *colon = strrchr(func, ':'), *dot = strchr(func, '.');
	size_t n = module_length(func);
	struct names all = { 0 };
	char *file, *why;

	if (colon) {
		file = mem_strn(func, (size_t)(colon - func));
		why = in_file(s, file, colon + 1);
		free(file);
		return why;
	}
	if (n)
		return mem_fmt("'%.*s' has no function '%s' yet", (int)n, func, func + n + 1);
	loc_program_code(names_add, &all);
	if (dot)
		why = or_near(&all, func, "",
			      mem_fmt("no module '%.*s' and no function '%s' yet", (int)(dot - func), func, func), "");
	else
		why = or_near(&all, func, "", mem_fmt("no function '%s' yet", func), "; a library's is MODULE.FUNC");
	free(all.item);
	return why;
}

static char *of_counted(struct session *s, const struct loc *l)
{
	const char *func = l->func ? l->func : "the frame's code";
	struct names all = { 0 };
	int n = l->func ? loc_named(s, l->func, names_add, &all) + l->ncodes : 1;

	free(all.item);
	if (!n)
		return of_name(s, l->func);
	if (l->type == LOC_REGION)
		return mem_fmt("no code of '%s' has a region '%s' yet", func, region_name(l->region));
	return mem_fmt("'%s' has no instruction '%s' yet", func, l->text);
}

char *pending_why(struct session *s, const struct loc *l)
{
	struct places now = { 0 };
	struct err err = { "" };
	int rc = loc_resolve(s, l, &now, &err);

	places_release(&now);
	if (rc)
		return rc < 0 ? mem_str(err.text) : NULL;
	switch (l->type) {
	case LOC_LINE:
		return no_file(l->file);
	case LOC_FUNC:
		return l->func ? of_name(s, l->func) : NULL;
	case LOC_OPCODE:
		return mem_fmt("no loaded code of the program has the instruction %s yet", l->word);
	case LOC_NODE:
		return no_node(s, l->word);
	default:
		return of_counted(s, l);
	}
}
