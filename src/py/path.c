/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose files are whose: the program's, Python's libraries, cdbg's own.  Knows paths only. */
#include <Python.h>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>
#include "base/buf.h"
#include "py/path.h"

static char **library, **users;
static size_t nlibrary, library_cap, nusers, users_cap;
static struct package { char *dir; size_t len; } *package;     /* "/torch/" */
static size_t npackage, package_cap;
static struct folder { char *dir; bool library; } *folder;     /* what is known of "/.../torch/" */
static size_t nfolder, folder_cap;
static char *self;                           /* folder of the package, with its slash */

static void add_library(const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	if (n < 2)
		return;
	library = mem_grow(library, &library_cap, nlibrary + 1, sizeof(*library));
	library[nlibrary++] = dir[n - 1] == '/' ? mem_str(dir) : mem_fmt("%s/", dir);
}

/* Both as given and with links resolved: co_filename has either. */
static void add_both(const char *dir)
{
	char real[PATH_MAX];

	add_library(dir);
	if (dir && realpath(dir, real) && strcmp(real, dir))
		add_library(real);
}

static void find_libraries(void)
{
	static const char *const names[] = { "stdlib", "platstdlib", "purelib", "platlib" };
	PyObject *type, *value, *tb, *module, *paths, *dir;
	size_t i;

	PyErr_Fetch(&type, &value, &tb);
	module = PyImport_ImportModule("sysconfig");
	paths = module ? PyObject_CallMethod(module, "get_paths", NULL) : NULL;
	for (i = 0; paths && i < sizeof(names) / sizeof(*names); i++) {
		dir = PyDict_GetItemString(paths, names[i]);
		if (dir && PyUnicode_Check(dir))
			add_both(PyUnicode_AsUTF8(dir));
	}
	Py_XDECREF(paths);
	Py_XDECREF(module);
	PyErr_Clear();
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

static bool under(const char *file, const char *dir)
{
	return dir && !strncmp(file, dir, strlen(dir));
}

/* "/.../torch/": is that the package, or a folder that happens to be called so? */
static bool is_package(const char *dir, size_t len)
{
	char *init;
	size_t i;

	for (i = 0; i < nfolder; i++)
		if (!strncmp(folder[i].dir, dir, len) && !folder[i].dir[len])
			return folder[i].library;
	folder = mem_grow(folder, &folder_cap, nfolder + 1, sizeof(*folder));
	folder[nfolder].dir = mem_strn(dir, len);
	init = mem_fmt("%s__init__.py", folder[nfolder].dir);
	folder[nfolder].library = access(init, F_OK) == 0;
	free(init);
	return folder[nfolder++].library;
}

static bool in_package(const char *file)
{
	const char *at;
	size_t i;

	for (i = 0; i < npackage; i++)
		for (at = file; (at = strstr(at, package[i].dir)); at++)
			if (is_package(file, (size_t)(at - file) + package[i].len))
				return true;
	return false;
}

void path_add_package(const char *name)
{
	package = mem_grow(package, &package_cap, npackage + 1, sizeof(*package));
	package[npackage].dir = mem_fmt("/%s/", name);
	package[npackage].len = strlen(package[npackage].dir);
	npackage++;
}

enum kind path_kind(const char *file)
{
	static bool found, finding;
	size_t i;

	if (finding)                                 /* what the search itself imports */
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
	if (under(file, self) || !strcmp(file, "<cdbg>"))
		return KIND_SELF;
	if (file[0] == '<')
		return KIND_LIBRARY;
	if (strstr(file, "/site-packages/") || strstr(file, "/dist-packages/"))
		return KIND_LIBRARY;
	for (i = 0; i < nlibrary; i++)
		if (under(file, library[i]))
			return KIND_LIBRARY;
	return in_package(file) ? KIND_LIBRARY : KIND_USER;
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
