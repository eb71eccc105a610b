/* SPDX-License-Identifier: BSD-3-Clause */
/* Plugins: found, loaded, checked, registered and woken; and the functions they may call (struct cdbg_host), each
   over the floors.  Knows no plugin by name. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/ownfd.h"
#include "engine/bp.h"
#include "engine/region_name.h"
#include "engine/screen.h"
#include "engine/session.h"
#include "engine/source.h"
#include "plugin.h"
#include "plugin_load.h"
#include "py/interp/eval.h"
#include "py/frame/frame.h"
#include "py/hook/hook.h"
#include "py/interp/host.h"
#include "py/interp/path.h"

/* A loaded plugin: stays for the life of the process, its tables are kept by reference. */
struct loaded {
	struct cdbg_plugin p;                /* whole: what an older one lacks is NULL */
	char *path;
	bool awake, failed;
};

static struct loaded *loaded[PLUG_MAX];
static int nloaded;
static char *troubles[PLUG_MAX];             /* what failed before anybody could be told; owned */
static int ntroubles;

/* ---- what plugins may call ---------------------------------------------------------------------- */

static struct hook_thread *thread_in_stop(void)
{
	struct hook_thread *t = hook_thread_self();

	return t && t->in_stop > 0 ? t : NULL;
}

static void host_event(const struct event *ev)
{
	struct session *s = session_get();
	struct event copy = *ev;
	char *trouble = NULL;

	if (!s || !s->started || thread_in_stop())
		return;
	copy.thread = hook_thread_self();
	if (!copy.thread || !bp_caught(s, &copy, &trouble))
		return;
	if (trouble)
		session_note(s, NOTE_WARNING, "%s", trouble);
	free(trouble);
	session_stop(s, &copy);
}

static bool host_catching(const char *kind)
{
	struct session *s = session_get();

	return s && bp_catching(s, kind);
}

static void host_code_appeared(void)
{
	struct session *s = session_get();

	if (!s)
		return;
	bp_code_appeared(s);
	bp_arm(s);                           /* where code runs may have changed, though no place did */
	py_unref_waiting();
}

static void host_code_kind_changed(struct code *c)
{
	c->kind = KIND_UNKNOWN;
}

static void host_note(int level, const char *text)
{
	struct session *s = session_get();

	if (s)
		session_note(s, level ? NOTE_WARNING : NOTE_INFO, "%s", text);
}

static void host_say(const char *text)
{
	struct session *s = session_get();

	if (s)
		session_say(s, "%s", text);
}

static const char *host_source_line(const char *file, int line)
{
	struct session *s = session_get();

	return s ? source_line(s, file, line) : NULL;
}

static long host_option_number(const char *name)
{
	struct session *s = session_get();

	return s ? option_number(s, name) : 0;
}

static const char *host_option_text(const char *name)
{
	struct session *s = session_get();

	return s ? option_text(s, name) : "";
}

static int host_selected(struct py_frame **f, struct code **c, int *index, struct err *err)
{
	struct session *s = session_get();
	struct frame *fr = s ? session_frame(s, err) : NULL;

	*f = NULL;
	*c = NULL;
	*index = -1;
	if (!fr)
		return s ? -1 : err_set(err, "no session");
	*f = py_ref(fr->fo);
	*c = fr->code;
	*index = fr->index;
	if (fr->code)
		py_ref(fr->code->co);
	return 0;
}

static struct py_obj *host_eval(const char *text, struct err *err)
{
	struct session *s = session_get();
	struct scope sc = { 0 };

	if (!s) {
		err_set(err, "no session");
		return NULL;
	}
	if (session_scope(s, &sc, err) < 0)
		return NULL;
	return eval_text(text, &sc, err);
}

static int host_functions(const char *func, void (*add)(void *arg, struct py_code *co), void *arg, struct err *err)
{
	struct session *s = session_get();

	return s ? loc_functions(s, func, add, arg, err) : err_set(err, "no session");
}

static bool host_user_file(const char *file)
{
	return file && path_kind(file) == KIND_USER;
}

static bool host_in_stop(void)
{
	return thread_in_stop() != NULL;
}

static int host_show(const char *line, struct buf *out, struct err *err)
{
	struct session *s = session_get();
	struct reply reply = { .rows = NULL };
	struct buf word = { 0 };
	const struct cmd_def *c;
	int ret = -1;

	if (!s)
		return err_set(err, "no session");
	c = cmd_word(&line, &word) ? cmd_find(word.s, err) : NULL;
	if (c && c->flags & (CMD_RESUMES | CMD_CHANGES))
		err_set(err, "'%s' does more than to look", c->name);
	else if (c)
		ret = c->run(s, line, &reply, err);
	if (ret == 0 && reply.rows)
		view_text(s, reply.rows, out);
	else if (ret == 0)
		buf_adds(out, buf_str(&reply.text));
	reply_release(&reply);
	buf_release(&word);
	return ret;
}

static int host_reply(const struct view_ops *v, const char *words, struct reply *out, struct err *err)
{
	struct session *s = session_get();

	out->rows = s ? view_rows(s, v, words, err) : NULL;
	return out->rows ? 0 : s ? -1 : err_set(err, "no session");
}

static int host_edit_file(const char *path, struct err *err)
{
	int terminal = screen_lend(true), ret = edit_file(path, terminal, err);

	screen_lend(false);
	ownfd_close(terminal);
	return ret;
}

static struct cdbg_host host = {
	.size = sizeof(host),
	.code_get = code_get,
	.code_peek = code_peek,
	.code_decode = code_decode,
	.code_index = code_index,
	.code_arg_text = code_arg_text,
	.code_arg_object = code_arg_object,
	.op_name = py_op_name,
	.value_show = value_show,
	.value_add_format = value_add_format,
	.value_drop_format = value_drop_format,
	.rows_add = rows_add,
	.rows_int = rows_int,
	.rows_str = rows_str,
	.rows_bool = rows_bool,
	.rows_val = rows_val,
	.rows_want = rows_want,
	.rows_follow = rows_follow,
	.rows_title = rows_title,
	.event = host_event,
	.catching = host_catching,
	.code_appeared = host_code_appeared,
	.code_kind_changed = host_code_kind_changed,
	.region = hook_region,
	.note = host_note,
	.say = host_say,
	.places_add = places_add,
	.source_line = host_source_line,
	.option_number = host_option_number,
	.option_text = host_option_text,
	.selected = host_selected,
	.eval = host_eval,
	.functions = host_functions,
	.user_file = host_user_file,
	.in_stop = host_in_stop,
	.op_pops = py_op_pops,
	.op_ends = py_op_ends,
	.show = host_show,
	.frame_locals = frame_locals_dict,
	.rows_cell = rows_cell,
	.view_cut = view_cut,
	.rows_shown = rows_shown,
	.view_cut_name = view_cut_name,
	.region_name = region_name,
	.restore_terminal = bug_restore_now,
	.reply = host_reply,
	.asm_write = asm_write,
	.asm_read = asm_read,
	.asm_id = asm_id,
	.asm_call = asm_call,
	.edit_file = host_edit_file,
	.value_repr = value_repr,
	.value_text = value_text,
};

/* ---- loading ------------------------------------------------------------------------------------ */

static void trouble(const char *path, const char *why)
{
	if (ntroubles < PLUG_MAX)
		troubles[ntroubles++] = mem_fmt("plugin '%s' is not used: %s", path, why);
}

/* What it brings goes into the session.  Tables without a session are the process's: added once. */
static void join(struct session *s, struct loaded *l)
{
	plug_add(s, l->p.name, l->p.questions);
	if (l->p.options)
		option_add(s, l->p.options);
}

static void register_tables(const struct loaded *l)
{
	if (l->p.events)
		event_add(l->p.events);
	if (l->p.views)
		view_add(l->p.views);
	if (l->p.commands)
		cmd_add(l->p.commands);
}

/* 0 when this can be used as a plugin; why says what it is not. */
static int check(const struct cdbg_plugin *p, struct err *why)
{
	int i;

	if (p->size < offsetof(struct cdbg_plugin, wakes_on))
		return err_set(why, "its 'cdbg_plugin' is too small to be one");
	if (p->abi != CDBG_PLUGIN_ABI)
		return err_set(why, "it was built for plugin interface %d, this is %d: build it again", p->abi,
			       CDBG_PLUGIN_ABI);
	if (!p->name || !*p->name)
		return err_set(why, "it has no name");
	for (i = 0; i < nloaded; i++)
		if (!strcmp(loaded[i]->p.name, p->name))
			return err_set(why, "a plugin '%s' is loaded already, from '%s'", p->name, loaded[i]->path);
	if (nloaded == PLUG_MAX)
		return err_set(why, "more than %d plugins", PLUG_MAX);
	return 0;
}

static bool same_file(const char *path)
{
	int i;

	for (i = 0; i < nloaded; i++)
		if (!strcmp(loaded[i]->path, path))
			return true;
	return false;
}

static void load(struct session *s, const char *path)
{
	PyObject *type, *value, *tb;
	const struct cdbg_plugin *p;
	struct err why = { "" };
	struct loaded *l;
	void *lib;

	if (same_file(path))
		return;
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		trouble(path, dlerror());
		return;
	}
	p = dlsym(lib, "cdbg_plugin");
	if (!p) {
		dlclose(lib);
		trouble(path, "it has no symbol 'cdbg_plugin'");
		return;
	}
	if (check(p, &why) < 0) {
		dlclose(lib);
		trouble(path, why.text);
		return;
	}
	l = mem_alloc(sizeof(*l));
	memcpy(&l->p, p, p->size < sizeof(l->p) ? p->size : sizeof(l->p));
	PyErr_Fetch(&type, &value, &tb);
	if (l->p.init && l->p.init(&host, &why) < 0) {
		/* Not closed: it may have left pointers behind. */
		trouble(path, why.text);
		free(l);
		l = NULL;
	}
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
	if (!l)
		return;
	l->path = mem_str(path);
	loaded[nloaded++] = l;
	register_tables(l);
	if (l->p.package)
		path_add_package(l->p.package);
	join(s, l);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, so that every run finds the same. */
static void load_folder(struct session *s, const char *dir)
{
	DIR *d = opendir(dir);
	char **names = NULL;
	size_t n = 0, cap = 0, i, len;
	struct dirent *e;

	if (!d) {
		trouble(dir, "cannot read this folder");
		return;
	}
	while ((e = readdir(d))) {
		len = strlen(e->d_name);
		if (len < 4 || strcmp(e->d_name + len - 3, ".so"))
			continue;
		names = mem_grow(names, &cap, n + 1, sizeof(*names));
		names[n++] = mem_fmt("%s/%s", dir, e->d_name);
	}
	closedir(d);
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	for (i = 0; i < n; i++) {
		load(s, names[i]);
		free(names[i]);
	}
	free(names);
}

static void load_path(struct session *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		trouble(path, "no such file or folder");
	else if (S_ISDIR(st.st_mode))
		load_folder(s, path);
	else
		load(s, path);
}

void plugin_load_all(struct session *s, const char *dir)
{
	const char *list = getenv("CDBG_PLUGIN_PATH");
	int i;

	host.session = s;
	for (i = 0; i < nloaded; i++) {              /* a second session */
		if (!loaded[i]->failed)
			join(s, loaded[i]);
		loaded[i]->awake = false;
	}
	if (dir && access(dir, F_OK) == 0)
		load_folder(s, dir);
	while (list && *list) {
		size_t len = strcspn(list, ":");
		char *one = mem_strn(list, len);

		if (len)
			load_path(s, one);
		free(one);
		list += len + (list[len] == ':');
	}
}

/* ---- waking ------------------------------------------------------------------------------------- */

static void forget_kind(void *arg, struct py_code *co)
{
	(void)arg;
	code_get(co)->kind = KIND_UNKNOWN;
}

static void wake(struct loaded *l)
{
	struct session *s = session_get();
	PyObject *type, *value, *tb;
	struct err err = { "" };

	if (l->awake || l->failed || !s)
		return;
	l->awake = true;
	PyErr_Fetch(&type, &value, &tb);
	if (l->p.wake && l->p.wake(&err) < 0) {
		l->failed = true;
		plug_drop(s, l->p.name);
		loc_program_code(s, forget_kind, NULL);      /* what it has said so far is taken back */
		session_note(s, NOTE_WARNING, "plugin '%s' is off: %s", l->p.name, err.text);
	}
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
}

/* Imported, and not just being so: a half-made module has not the names that a plugin looks for. */
static bool imported(const char *module)
{
	/* owned */
	PyObject *name = PyUnicode_FromString(module);
	PyObject *m = name ? PyImport_GetModule(name) : NULL;
	PyObject *spec = m ? PyObject_GetAttrString(m, "__spec__") : NULL;
	PyObject *busy = spec ? PyObject_GetAttrString(spec, "_initializing") : NULL;
	bool yes = m && (!busy || PyObject_IsTrue(busy) == 0);

	Py_XDECREF(busy);
	Py_XDECREF(spec);
	Py_XDECREF(m);
	Py_XDECREF(name);
	PyErr_Clear();
	return yes;
}

static bool due(const struct loaded *l)
{
	return !l->p.wakes_on || imported(l->p.wakes_on);
}

/* Does this one wait for a package that the other's module is in?  Then it would have been woken first. */
static bool earlier(const struct loaded *l, const struct loaded *other)
{
	const char *package = l->p.wakes_on, *module = other->p.wakes_on;
	size_t n = package ? strlen(package) : 0;

	return module && n && !strncmp(module, package, n) && module[n] == '.';
}

void plugin_wake_all(void)
{
	struct session *s = session_get();
	PyObject *type, *value, *tb;
	int i, k;

	for (i = 0; i < ntroubles; i++) {
		if (s)
			session_note(s, NOTE_WARNING, "%s", troubles[i]);
		free(troubles[i]);
	}
	ntroubles = 0;
	PyErr_Fetch(&type, &value, &tb);
	for (i = 0; i < nloaded; i++) {
		for (k = 0; due(loaded[i]) && k < nloaded; k++)
			if (earlier(loaded[k], loaded[i]) && due(loaded[k]))
				wake(loaded[k]);
		if (due(loaded[i]))
			wake(loaded[i]);
	}
	PyErr_Restore(type, value, tb);
}

const char *plugin_waits_for(int i)
{
	int k;

	for (k = 0; k < nloaded; k++)
		if (loaded[k]->p.wakes_on && !loaded[k]->awake && !loaded[k]->failed && i-- == 0)
			return loaded[k]->p.wakes_on;
	return NULL;
}

void plugin_woken(const char *module)
{
	int i;

	for (i = 0; i < nloaded; i++)
		if (loaded[i]->p.wakes_on && !strcmp(loaded[i]->p.wakes_on, module))
			wake(loaded[i]);
}

void plugin_detached(void)
{
	host.session = NULL;
}
