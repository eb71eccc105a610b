/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a file belongs to the program, to a library or to cdbg. Knows paths only. */
#include <Python.h>
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "py/interp/path.h"

static char **library, **users;
static size_t nlibrary, library_cap, nusers, users_cap;
static char **packages; /* libraries that are not imported yet */
static size_t npackages, packages_cap;
static char *self; /* folder of the package, with its slash */

static atomic_uint moves = 1; /* of the current directory, or what may have been one */

static struct directory {
	unsigned seen;	     /* the moves that path is from */
	char path[PATH_MAX]; /* "": there is none */
	size_t n;
} here;
static pthread_mutex_t here_lock = PTHREAD_MUTEX_INITIALIZER; /* the full screen's thread asks, too */

void path_moved(void)
{
	atomic_fetch_add(&moves, 1);
}

static const char *below(struct directory *d, const char *path)
{
	unsigned now = atomic_load(&moves);

	if (d->seen != now) {
		if (!getcwd(d->path, sizeof(d->path)))
			d->path[0] = '\0';
		d->n = strlen(d->path);
		d->seen = now;
	}
	return d->n > 1 && !strncmp(path, d->path, d->n) && path[d->n] == '/' ? path + d->n + 1 : path;
}

const char *path_from_here(const char *path)
{
	struct directory own;

	if (path[0] != '/')
		return path;
	if (pthread_mutex_trylock(&here_lock)) { /* another thread has it, or had it when this process was forked */
		own.seen = 0;
		return below(&own, path);
	}
	path = below(&here, path);
	pthread_mutex_unlock(&here_lock);
	return path;
}

static void add_library(const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	if (n < 2)
		return;
	library = mem_grow(library, &library_cap, nlibrary + 1, sizeof(*library));
	library[nlibrary++] = dir[n - 1] == '/' ? mem_str(dir) : mem_fmt("%s/", dir);
}

/* Both the given path and the one with links resolved: co_filename may have either. */
static void add_both(const char *dir)
{
	char real[PATH_MAX];

	add_library(dir);
	if (dir && realpath(dir, real) && strcmp(real, dir))
		add_library(real);
}

/* A text of sys; NULL: there is none.  Borrowed. */
static const char *sys_text(const char *name)
{
	PyObject *v = PySys_GetObject(name);
	const char *text = v && PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;

	PyErr_Clear(); /* a lone surrogate */
	return text;
}

/* The folders of one prefix, as sysconfig has them; Debian has its own names for two. */
static void add_prefix(const char *prefix, const char *lib, const char *version)
{
	static const char *const folders[] = { "%s/%s/%s", "%s/%s/%s/site-packages", "%s/local/%s/%s/dist-packages" };
	char path[PATH_MAX];
	size_t i;
	int n;

	for (i = 0; prefix && lib && i <= sizeof(folders) / sizeof(*folders); i++) {
		n = i < sizeof(folders) / sizeof(*folders) ?
			    snprintf(path, sizeof(path), folders[i], prefix, lib, version) :
			    snprintf(path, sizeof(path), "%s/%s/python3/dist-packages", prefix, lib);
		if (n > 0 && (size_t)n < sizeof(path))
			add_both(path);
	}
}

/* Without an import of sysconfig: that imports threading, whose functions CPython calls at the end of the program. */
static void find_libraries(void)
{
	static const char *const prefixes[] = { "prefix", "exec_prefix", "base_prefix", "base_exec_prefix" };
	const char *stdlib, *name, *platform;
	PyObject *type, *value, *tb;
	char version[32];
	size_t i;

	PyErr_Fetch(&type, &value, &tb);
	stdlib = sys_text("_stdlib_dir");
	add_both(stdlib);
	name = stdlib ? strrchr(stdlib, '/') : NULL;
	if (name && !strncmp(name, "/python", 7)) /* "python3.13t" without the GIL */
		snprintf(version, sizeof(version), "%s", name + 1);
	else
		snprintf(version, sizeof(version), "python%.*s", (int)strcspn(strchr(PY_VERSION, '.') + 1, ".") + 2,
			 PY_VERSION);
	platform = sys_text("platlibdir");
	for (i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		add_prefix(sys_text(prefixes[i]), "lib", version);
		if (platform && strcmp(platform, "lib"))
			add_prefix(sys_text(prefixes[i]), platform, version);
	}
	PyErr_Restore(type, value, tb);
}

static void find_self(void)
{
	Dl_info info;
	char *slash;

	if (!dladdr((void *)(uintptr_t)&path_kind, &info) || !info.dli_fname)
		return;
	self = mem_str(info.dli_fname);
	slash = strrchr(self, '/');
	if (slash)
		slash[1] = '\0';
}

/* The file that a package was imported from, owned; NULL: it was not imported. */
static char *package_file(const char *name)
{
	/* owned */
	PyObject *type, *value, *tb, *spec, *origin;
	/* borrowed: PyImport_GetModule() would wait for the import, in Python */
	PyObject *module;
	const char *text = NULL;
	char *file;

	PyErr_Fetch(&type, &value, &tb);
	module = PyDict_GetItemString(PyImport_GetModuleDict(), name);
	spec = module ? PyObject_GetAttrString(module, "__spec__") : NULL;
	origin = spec ? PyObject_GetAttrString(spec, "origin") : NULL;
	if (origin && PyUnicode_Check(origin))
		text = PyUnicode_AsUTF8(origin);
	file = text ? mem_str(text) : NULL;
	Py_XDECREF(origin);
	Py_XDECREF(spec);
	PyErr_Clear();
	PyErr_Restore(type, value, tb);
	return file;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* True if an installer put the package there, next to others (pip install --target), and not the author of the
   script. */
static bool installed_in(const char *folder, const char *package)
{
	char script[PATH_MAX], real[PATH_MAX];
	size_t n = strlen(package), i;
	bool yes = false;
	struct dirent *e;
	DIR *d;

	for (i = 0; i < nusers; i++)
		if (text_path_below(users[i], folder) ||
		    (realpath(users[i], script) && realpath(folder, real) && text_path_below(script, real)))
			return false;
	d = opendir(folder);
	while (d && !yes && (e = readdir(d)))
		yes = !strncmp(e->d_name, package, n) && e->d_name[n] == '-' && ends_with(e->d_name, ".dist-info");
	if (d)
		closedir(d);
	return yes;
}

/* If this is the body of one of the packages, its folder is a library from now on. */
static bool package_begins(const char *file)
{
	static const char body[] = "/__init__.py";
	char *dir, *beside, *from;
	bool found = false;
	size_t i;

	if (!npackages || !ends_with(file, body))
		return false;
	for (i = 0; !found && i < npackages; i++) {
		from = package_file(packages[i]);
		if (from && !strcmp(from, file) && file[0] == '/') {
			dir = mem_strn(file, strlen(file) - strlen(body));
			beside = mem_strn(dir, (size_t)(strrchr(dir, '/') - dir) + 1);
			add_both(installed_in(beside, packages[i]) ? beside : dir);
			free(beside);
			free(dir);
			free(packages[i]);
			packages[i] = packages[--npackages];
			found = true;
		}
		free(from);
	}
	return found;
}

void path_add_package(const char *name)
{
	char *file = package_file(name);

	packages = mem_grow(packages, &packages_cap, npackages + 1, sizeof(*packages));
	packages[npackages++] = mem_str(name);
	if (file)
		package_begins(file);
	free(file);
}

/* Is it a file of installed packages? The path may lead out of their folder again, as that of a module whose folder was
   added to sys.path as "site-packages/../mine" does. */
static bool is_installed(const char *file)
{
	char room[PATH_MAX];
	const char *plain = text_path_plain(file, room);

	return strstr(plain, "/site-packages/") || strstr(plain, "/dist-packages/");
}

/* Code that a person types at a prompt of Python or IPython. */
static bool is_typed(const char *file)
{
	return !strcmp(file, "<stdin>") || !strncmp(file, "<python-input-", 14) ||
	       !strncmp(file, "<ipython-input-", 15);
}

enum kind path_kind(const char *file)
{
	static bool found, finding;
	size_t i;

	if (finding) /* what the search itself imports */
		return KIND_LIBRARY;
	if (!found) {
		finding = true;
		find_libraries();
		find_self();
		finding = false;
		found = true;
	}
	for (i = 0; i < nusers; i++)
		if (!strcmp(file, users[i]))
			return KIND_USER;
	if ((self && text_path_below(file, self)) || !strcmp(file, "<cdbg>"))
		return KIND_SELF;
	if (file[0] == '<')
		return is_typed(file) ? KIND_USER : KIND_LIBRARY;
	if (is_installed(file))
		return KIND_LIBRARY;
	for (i = 0; i < nlibrary; i++)
		if (text_path_below(file, library[i]))
			return KIND_LIBRARY;
	return package_begins(file) ? KIND_LIBRARY : KIND_USER;
}

void path_add_user(const char *file)
{
	users = mem_grow(users, &users_cap, nusers + 1, sizeof(*users));
	users[nusers++] = mem_str(file);
}

bool path_same(const char *a, const char *b)
{
	char ra[PATH_MAX], rb[PATH_MAX];

	return realpath(a, ra) && realpath(b, rb) && !strcmp(ra, rb);
}

bool path_top_level(const char *file)
{
	static const char *const folders[] = { "/site-packages/", "/dist-packages/" };
	const char *slash = strrchr(file, '/');
	size_t n = slash ? (size_t)(slash - file) + 1 : 0, i;

	for (i = 0; n && i < nlibrary; i++)
		if (strlen(library[i]) == n && !strncmp(file, library[i], n))
			return true;
	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (n >= strlen(folders[i]) && !strncmp(file + n - strlen(folders[i]), folders[i], strlen(folders[i])))
			return true;
	return false;
}

bool path_importable(const char *name, char *found)
{
	PyObject *paths = PySys_GetObject("path"), *entry; /* borrowed */
	char real[PATH_MAX], *joined;
	const char *folder;
	bool yes = false;
	Py_ssize_t i;

	for (i = 0; name[0] != '/' && paths && PyList_Check(paths) && i < PyList_GET_SIZE(paths) && !yes; i++) {
		entry = PyList_GET_ITEM(paths, i);
		folder = PyUnicode_Check(entry) ? PyUnicode_AsUTF8(entry) : NULL;
		if (!folder) {
			PyErr_Clear(); /* a lone surrogate */
			continue;
		}
		joined = mem_fmt("%s/%s", *folder ? folder : ".", name);
		yes = realpath(joined, real) && path_kind(real) == KIND_USER;
		free(joined);
	}
	if (yes && found)
		memcpy(found, real, strlen(real) + 1);
	return yes;
}
