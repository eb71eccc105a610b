/* SPDX-License-Identifier: BSD-3-Clause */
/* Plugins: found, loaded, checked, registered and woken.  Knows no plugin by name, and not what plugins may call. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "engine/loc.h"
#include "engine/option.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "plugin.h"
#include "plugin_host.h"
#include "plugin_load.h"
#include "py/code/code.h"
#include "py/interp/path.h"
#include "view/view.h"

/* A loaded plugin: stays for the life of the process, its tables are kept by reference. */
struct loaded {
	struct cdbg_plugin p;
	char *path;
	bool awake, failed;
};

static struct loaded *loaded[PLUG_MAX];
static int nloaded;
static char *troubles[PLUG_MAX]; /* failures that are reported once there is a front end; owned */
static int ntroubles;

/* ---- loading ------------------------------------------------------------------------------------ */

static void trouble(const char *path, const char *why)
{
	if (ntroubles < PLUG_MAX)
		troubles[ntroubles++] = mem_fmt("plugin '%s' is not used: %s", path, why);
}

/* Add what the plugin brings to the session.  Tables that belong to no session are added once. */
static void plugin_join(struct session *s, struct loaded *l)
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

/* 0 if this can be used as a plugin, else -1 with the reason. */
static int plugin_check(const struct cdbg_plugin *p, struct err *why)
{
	int i;

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
	if (plugin_check(p, &why) < 0) {
		dlclose(lib);
		trouble(path, why.text);
		return;
	}
	l = mem_alloc(sizeof(*l));
	l->p = *p;
	PyErr_Fetch(&type, &value, &tb);
	if (l->p.init && l->p.init(&plugin_host, &why) < 0) {
		/* Not closed: cdbg may still have pointers into it. */
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
	plugin_join(s, l);
}

/* Could every user have put there what has this name in the folder? */
static bool anybodys(const char *folder, const struct stat *st)
{
	struct stat in;

	if (stat(folder, &in) < 0)
		return true;
	return (in.st_mode & S_IWOTH) && (!(in.st_mode & S_ISVTX) || (st->st_uid != geteuid() && st->st_uid != 0));
}

/* A plugin of CDBG_PLUGIN_PATH runs with the user's rights.  0: only owners of its folders can have put it there. */
static int check_source(const char *path, struct err *why)
{
	char real[PATH_MAX], *slash;
	struct stat st;

	if (!realpath(path, real) || stat(real, &st) < 0)
		return err_set(why, "%s", strerror(errno));
	if (!S_ISDIR(st.st_mode) && (st.st_mode & S_IWOTH))
		return err_set(why, "every user can write it: 'chmod o-w %s' prevents that", real);
	for (; real[1]; stat(real, &st)) {
		slash = strrchr(real, '/');
		*slash = '\0';
		if (anybodys(*real ? real : "/", &st))
			return err_set(why, "every user can write to the folder '%s', and another one owns '%s' in it",
				       *real ? real : "/", slash + 1);
		if (!*real)
			break;
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, so that every run finds the same. */
static void load_folder(struct session *s, const char *dir, bool check)
{
	DIR *d = opendir(dir);
	char **names = NULL;
	size_t n = 0, cap = 0, i, len;
	struct err why = { "" };
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
		qsort(names, n, sizeof(*names), compare_names);
	for (i = 0; i < n; i++) {
		if (check && check_source(names[i], &why) < 0)
			trouble(names[i], why.text);
		else
			load(s, names[i]);
		free(names[i]);
	}
	free(names);
}

static void load_path(struct session *s, const char *path)
{
	struct err why = { "" };
	struct stat st;

	if (stat(path, &st) < 0)
		trouble(path, "no such file or folder");
	else if (check_source(path, &why) < 0)
		trouble(path, why.text);
	else if (S_ISDIR(st.st_mode))
		load_folder(s, path, true);
	else
		load(s, path);
}

void plugin_load_all(struct session *s, const char *dir)
{
	const char *list = getenv("CDBG_PLUGIN_PATH");
	int i;

	plugin_host.session = s;
	for (i = 0; i < nloaded; i++) { /* a second session */
		if (!loaded[i]->failed)
			plugin_join(s, loaded[i]);
		loaded[i]->awake = false;
	}
	if (dir && access(dir, F_OK) == 0)
		load_folder(s, dir, false);
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

static void plugin_start(struct loaded *l)
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
		loc_program_code(forget_kind, NULL); /* discard its answers so far */
		session_note(s, NOTE_WARNING, "plugin '%s' is disabled: %s", l->p.name, err.text);
	}
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
}

/* Is the module imported completely?  While it is being imported, names that the plugin needs are missing. */
static bool module_imported(const char *module)
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
	return !l->p.wakes_on || module_imported(l->p.wakes_on);
}

/* Does this plugin wait for a package that contains the other plugin's module?  Then it is woken first. */
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
				plugin_start(loaded[k]);
		if (due(loaded[i]))
			plugin_start(loaded[i]);
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
			plugin_start(loaded[i]);
}

void plugin_detached(void)
{
	plugin_host.session = NULL;
}
