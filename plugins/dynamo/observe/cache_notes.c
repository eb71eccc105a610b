/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps and finds what inductor's code was made of: see dynamo_observe.h. */
#include "model/entry.h"
#include "model/graph.h"
#include "model/node_match.h"
#include "model/stages.h"
#include "observe/dynamo_observe.h"
#include "observe/note_text.h"
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* Where cdbg keeps notes between runs: small files in $XDG_CACHE_HOME/cdbg, or ~/.cache/cdbg.  Only the user can read
   them, no link is followed, and the oldest go when there are many. */

enum { NOTE_MOST = 16 << 20, FILES_MOST = 2000 };
static const long long FOLDER_MOST = 64LL << 20;

/* The folder of notes, the caller's to close; -1: there is none, or others can write to it.  make: it is made. */
static int folder_open(bool make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *base = cache && *cache == '/' ? mem_str(cache) : home && *home == '/' ? mem_fmt("%s/.cache", home) : NULL;
	char *path = base ? mem_fmt("%s/cdbg", base) : NULL;
	struct stat st;
	int fd = -1;

	if (path && make && mkdir(path, 0700) < 0 && mkdir(base, 0700) == 0)
		(void)!mkdir(path, 0700);
	if (path)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022))) {
		close(fd);
		fd = -1;
	}
	free(path);
	free(base);
	return fd;
}

static bool is_own_file(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_size <= NOTE_MOST;
}

static char *read_all(int fd)
{
	struct stat st;
	struct buf text = { 0 };
	char part[65536];
	ssize_t n = -1;

	if (fstat(fd, &st) == 0 && is_own_file(&st))
		while (text.len <= NOTE_MOST && (n = read(fd, part, sizeof(part))) > 0)
			buf_add(&text, part, (size_t)n);
	if (n == 0 && text.len && strlen(text.s) == text.len)
		return buf_detach(&text);
	buf_release(&text);
	return NULL;
}

/* The note of that name, a plain file name; owned by the caller.  NULL: there is none, or it is not the user's own. */
static char *note_file_read(const char *name)
{
	int folder = folder_open(false);
	int fd = folder < 0 ? -1 : openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = fd < 0 ? NULL : read_all(fd);

	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return text;
}

/* Is it one of the files that are written here? */
static bool is_note(int folder, const char *name, struct stat *st)
{
	const char *dot = strrchr(name, '.');

	return dot && (!strcmp(dot, ".note") || !strcmp(dot, ".part")) &&
	       fstatat(folder, name, st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st->st_mode);
}

/* Removes the oldest notes until there is room for n more bytes. */
static void make_room(int folder, size_t n)
{
	struct dirent *each;
	struct stat st;
	long long bytes, oldest;
	char gone[sizeof(each->d_name)];
	int files, fd;
	DIR *all;

	do {
		fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		all = fd < 0 ? NULL : fdopendir(fd);
		bytes = (long long)n;
		files = 0;
		oldest = 0;
		*gone = '\0';
		while (all && (each = readdir(all))) {
			if (!is_note(folder, each->d_name, &st))
				continue;
			bytes += st.st_size;
			files++;
			if (!*gone || st.st_mtime < oldest) {
				oldest = st.st_mtime;
				snprintf(gone, sizeof(gone), "%s", each->d_name);
			}
		}
		if (all)
			closedir(all);
		else if (fd >= 0)
			close(fd);
	} while ((bytes > FOLDER_MOST || files >= FILES_MOST) && *gone && unlinkat(folder, gone, 0) == 0);
}

/* Writes a note, whole or not at all; a failure leaves the earlier one.  False: it was not written. */
static bool note_file_write(const char *name, const char *text, size_t n)
{
	int folder = n <= NOTE_MOST ? folder_open(true) : -1, fd = -1;
	char *part = mem_fmt("%ld.part", (long)getpid());
	bool done = false;

	if (folder >= 0) {
		make_room(folder, n);
		unlinkat(folder, part, 0); /* of an earlier process with this number */
		fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (fd >= 0) {
		done = file_write_all(fd, text, n) == 0;
		done = close(fd) == 0 && done && renameat(folder, part, folder, name) == 0;
		if (!done)
			unlinkat(folder, part, 0);
	}
	if (folder >= 0)
		close(folder);
	free(part);
	return done;
}

enum { NODES_MOST = 20000 }; /* of all stages of a note */

/* ---- which note -------------------------------------------------------------------------------------------------- */

static bool is_backward(const struct stage *s)
{
	return strstr(s->name, "backward") != NULL;
}

/* The name of the note of a code, the caller's; NULL: it cannot be computed. */
static char *note_name(const char *code)
{
	PyObject *lib = PyImport_ImportModuleLevel("hashlib", NULL, NULL, NULL, 0), *hash, *hex;
	PyObject *text = PyBytes_FromString(stages_plain_code(code));
	char *name = NULL;

	hash = lib && text ? PyObject_CallMethod(lib, "sha256", "O", text) : NULL;
	hex = hash ? PyObject_CallMethod(hash, "hexdigest", NULL) : NULL;
	if (py_text_utf8(hex) && strlen(py_text_utf8(hex)) == 64 && !strchr(py_text_utf8(hex), '/'))
		name = mem_fmt("%s.note", py_text_utf8(hex));
	PyErr_Clear();
	Py_XDECREF(hex);
	Py_XDECREF(hash);
	Py_XDECREF(text);
	Py_XDECREF(lib);
	return name;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

/* Does the note of a code hold this stage?  The joint graph and its parts are in the note of the forward code. */
static bool belongs(const struct stage *s, const struct stage *code)
{
	bool of_backward = !strcmp(s->name, "post-grad-backward") || !strcmp(s->name, "kernel-backward");

	return s->copy && !s->cached && !strcmp(s->graph, code->graph) &&
	       (is_backward(code) ? is_backward(s) : !of_backward);
}

void cache_notes_keep(const struct nodes *captured, const struct stage *all, const struct stage *code)
{
	struct note_lines lines = { 0 };
	struct buf text = { 0 };
	const struct stage *s;
	int nodes = captured ? graphs_count(captured) : NODES_MOST;
	char *name;

	for (s = all; s; s = s->next)
		nodes += belongs(s, code) ? graphs_count(s->copy) : 0;
	name = nodes < NODES_MOST && host->talk.option_number("cache-notes") ? note_name(code->text) : NULL;
	if (!name)
		return;
	note_put_stage(&text, &lines, "captured", captured);
	for (s = all; s; s = s->next)
		if (belongs(s, code))
			note_put_stage(&text, &lines, s->name, s->copy);
	note_put_origins(&text, code->origin, code->norigins);
	note_put_end(&text);
	note_file_write(name, text.s, text.len);
	note_lines_release(&lines);
	buf_release(&text);
	free(name);
}

/* ---- is it the same graph? --------------------------------------------------------------------------------------- */

/* A graph of a note beside the same graph now. */
struct same {
	PyObject *names;	    /* owned: {name then: name now}, where they differ */
	const struct nodes **graph; /* by number of lines: the graph now that has them */
	const struct node **node;   /* ... and the first node there */
	bool *several;		    /* ... nodes that have them then are on different lines now */
	int nlines;
	const struct nodes *then, *now; /* borrowed: the graph itself, and as it is now */
	bool captured;			/* ... it is the captured one */
	bool sizes;			/* examples had the sizes then that they have now */
};

static void add_name(struct same *m, const char *then, size_t n, const char *now, size_t k)
{
	PyObject *a, *b;

	if (n == k && !strncmp(then, now, n))
		return;
	a = PyUnicode_FromStringAndSize(then, (Py_ssize_t)n);
	b = PyUnicode_FromStringAndSize(now, (Py_ssize_t)k);
	if (a && b)
		PyDict_SetDefault(m->names, a, b);
	PyErr_Clear();
	Py_XDECREF(b);
	Py_XDECREF(a);
}

/* The captured nodes that a node of the graph that inductor was given is made of, then and now. */
static void add_sources(struct same *m, const char *then, const char *now)
{
	size_t n, k;

	while (then && now && *then && *now) {
		n = strcspn(then, " ");
		k = strcspn(now, " ");
		add_name(m, then, n, now, k);
		then += n + (then[n] == ' ');
		now += k + (now[k] == ' ');
	}
}

static bool on_same_lines(const struct nodes *a, const struct node *x, const struct nodes *b, const struct node *y)
{
	int i;

	for (i = 0; i < x->nspots && x->nspots == y->nspots; i++)
		if (a->spot[x->spot + i].line != b->spot[y->spot + i].line ||
		    a->spot[x->spot + i].file != b->spot[y->spot + i].file)
			return false;
	return x->nspots == y->nspots;
}

static void add_pairs(struct same *m, const struct nodes *then, const struct nodes *now)
{
	const struct node *x, *y;
	int i, at;

	for (i = 0; i < then->n; i++) {
		x = &then->node[i];
		y = &now->node[i];
		if (m->captured)
			add_name(m, x->name, strlen(x->name), y->name, strlen(y->name));
		else
			add_sources(m, x->from, y->from);
		at = x->spot;
		if (at >= 0 && m->node[at]) {
			m->several[at] |= !on_same_lines(m->graph[at], m->node[at], now, y);
		} else if (at >= 0) {
			m->graph[at] = now;
			m->node[at] = y;
		}
		m->sizes &= !x->concrete == !y->concrete && (!x->concrete || !strcmp(x->concrete, y->concrete));
	}
	for (i = 0; i < then->nsub; i++)
		add_pairs(m, then->sub[i].nodes, now->sub[i].nodes);
}

static int most_lines(const struct nodes *g)
{
	int i, n, most = 0;

	for (i = 0; i < g->n; i++)
		most = g->node[i].spot >= most ? g->node[i].spot + 1 : most;
	for (i = 0; i < g->nsub; i++) {
		n = most_lines(g->sub[i].nodes);
		most = n > most ? n : most;
	}
	return most;
}

/* The graph of the note that is the same now: the captured one, else the one that inductor was given. */
static bool find_same(struct same *m, const struct note *note, const struct entry *e, const struct stage *code)
{
	static const char *const given[] = { "forward", "inference", "backward" };
	const struct nodes *then = note_stage_named(note, "captured"), *now = stages_captured(e, code);
	bool found = graphs_equal(then, now, false);
	const struct stage *s;
	int i;

	m->captured = found;
	for (i = is_backward(code) ? 2 : 0; !found && i < (is_backward(code) ? 3 : 2); i++)
		for (s = e->made.stages; s && !found; s = s->next) {
			then = note_stage_named(note, given[i]);
			now = s->cached || strcmp(s->graph, code->graph) || strcmp(s->name, given[i]) ? NULL : s->copy;
			found = graphs_equal(then, now, false);
		}
	if (!found)
		return false;
	m->then = then;
	m->now = now;
	m->nlines = most_lines(then);
	m->graph = mem_alloc(((size_t)m->nlines + 1) * sizeof(*m->graph));
	m->node = mem_alloc(((size_t)m->nlines + 1) * sizeof(*m->node));
	m->several = mem_alloc((size_t)m->nlines + 1);
	m->names = PyDict_New();
	m->sizes = true;
	if (m->names)
		add_pairs(m, then, now);
	PyErr_Clear();
	return m->names != NULL;
}

static void same_release(struct same *m)
{
	free(m->graph);
	free(m->node);
	free(m->several);
	Py_XDECREF(m->names);
}

/* ---- what the note says ------------------------------------------------------------------------------------------ */

/* The names of captured nodes as they are now. */
static char *names_now(const struct same *m, char *names)
{
	struct buf out = { 0 };
	PyObject *name, *now;
	const char *s;
	size_t n;

	if (!names || !PyDict_GET_SIZE(m->names))
		return names;
	for (s = names; *s; s += n + (s[n] == ' ')) {
		n = strcspn(s, " ");
		name = PyUnicode_FromStringAndSize(s, (Py_ssize_t)n);
		now = name ? PyDict_GetItemWithError(m->names, name) : NULL;
		buf_addf(&out, "%s%.*s", out.len ? " " : "", now ? (int)strlen(py_text_utf8(now)) : (int)n,
			 now ? py_text_utf8(now) : s);
		PyErr_Clear();
		Py_XDECREF(name);
	}
	free(names);
	return buf_detach(&out);
}

/* The node of the graph now that a node of a later stage stands for: of those on its lines then; NULL: not known. */
static const struct node *counterpart(const struct same *m, const struct node *n, int lines)
{
	const char *names = m->captured ? n->from : n->name;
	const struct node *found = NULL;
	int i;

	while ((i = node_match_noted(m->now, &names)) >= 0) {
		if (m->then->node[i].spot != lines)
			continue;
		if (found && !on_same_lines(m->now, found, m->now, &m->now->node[i]))
			return NULL;
		found = &m->now->node[i];
	}
	return found;
}

/* The lines with that number, as they are in the graph now. */
static void place_node(const struct same *m, struct nodes *g, struct node *n, int lines)
{
	const struct nodes *now = lines >= 0 && lines < m->nlines ? m->graph[lines] : NULL;
	const struct node *of = now ? m->node[lines] : NULL;

	if (of && m->several[lines]) {
		of = counterpart(m, n, lines);
		now = m->now;
	}
	n->spot = g->nspots;
	n->user = -1;
	if (!of || !of->nspots)
		return;
	g->spot = mem_grow(g->spot, &g->spots_cap, (size_t)(g->nspots + of->nspots) + 1, sizeof(*g->spot));
	memcpy(g->spot + g->nspots, now->spot + of->spot, (size_t)of->nspots * sizeof(*g->spot));
	g->nspots += of->nspots;
	n->nspots = of->nspots;
	n->user = of->user;
	if (now->called.file)
		g->called = now->called;
}

static void bring_up_to_date(const struct same *m, struct nodes *g)
{
	struct node *n, *before = NULL;
	int i, lines, placed = -1;

	for (i = 0; i < g->n; i++) {
		n = &g->node[i];
		n->from = names_now(m, n->from);
		if (!m->sizes) {
			free(n->concrete);
			n->concrete = NULL;
		}
		lines = n->spot;
		if (before && lines == placed && !(lines >= 0 && lines < m->nlines && m->several[lines])) {
			n->spot = before->spot;
			n->nspots = before->nspots;
			n->user = before->user;
		} else
			place_node(m, g, n, lines);
		before = n;
		placed = lines;
	}
	for (i = 0; i < g->nsub; i++)
		bring_up_to_date(m, g->sub[i].nodes);
}

/* Moves what the note has of a stage into it. */
static void fill_stage(const struct same *m, struct note *note, const struct stage *code, struct stage *s)
{
	struct nodes *g = s == code ? NULL : note_stage_named(note, s->name);
	int i;

	if (s == code) {
		s->origin = note->origin;
		s->norigins = note->norigins;
		note->origin = NULL;
		note->norigins = 0;
	} else if (g) {
		for (i = 0; note->stage[i].nodes != g; i++)
			;
		note->stage[i].nodes = NULL;
		bring_up_to_date(m, g);
		s->copy = g;
		free(s->text);
		s->text = NULL;
	}
	s->cached &= s != code && !g;
}

static struct stage *code_of(const struct entry *e, const struct stage *s)
{
	const char *name = !strcmp(s->name, "post-grad-backward") || !strcmp(s->name, "kernel-backward") ?
				   "kernel-backward" :
				   "kernel";
	struct stage *code;

	for (code = e->made.stages; code; code = code->next)
		if (!strcmp(code->graph, s->graph) && !strcmp(code->name, name))
			break;
	return code && code->text ? code : NULL;
}

void cache_notes_find(const struct entry *e, struct stage *s)
{
	struct stage *code = code_of(e, s);
	char *name = code && code->cached && host->talk.option_number("cache-notes") ? note_name(code->text) : NULL;
	char *text = name ? note_file_read(name) : NULL;
	struct note note = { 0 };
	struct same m = { 0 };

	if (text && note_read(&note, text) && find_same(&m, &note, e, code))
		for (s = e->made.stages; s; s = s->next)
			if (s->cached && !strcmp(s->graph, code->graph) && code_of(e, s) == code)
				fill_stage(&m, &note, code, s);
	same_release(&m);
	note_release(&note);
	free(text);
	free(name);
}
