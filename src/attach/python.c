/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPython of another process: see python.h. */
#include "config.h"
#include "attach/python.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/process.h"
#include "base/err.h"

enum { VERSION_TEXT = 32, MAJOR_MINOR = 16 /* bits below them in Py_Version */ };

/* Symbols that tell builds of one version apart: the free-threaded one, and those that count references. */
static const char free_threaded[] = "_Py_DecRefShared";
static const char *const debugging[] = { "_Py_GetRefTotal", "_Py_GetGlobalRefTotal" };

static void show_version(unsigned long version, char out[VERSION_TEXT])
{
	snprintf(out, VERSION_TEXT, "%lu.%lu", version >> 24, version >> 16 & 0xff);
}

/* Between releases of one minor version no offset of a table changes. */
static bool is_final(unsigned long version)
{
	return (version >> 4 & 0xf) == 0xf;
}

static int other_version(pid_t pid, unsigned long theirs, unsigned long ours, struct err *err)
{
	char name[48], path[PATH_MAX], a[VERSION_TEXT], b[VERSION_TEXT];
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%ld/exe", (long)pid);
	n = readlink(name, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	show_version(theirs, a);
	show_version(ours, b);
	return err_set(err,
		       "process %ld runs CPython %s, and this cdbg was built for %s: use a cdbg of its interpreter, "
		       "'%s -m cdbg --attach %ld'",
		       (long)pid, a, b, *path ? path : "python", (long)pid);
}

static int same_build(pid_t pid, const struct process_object *o, struct err *err)
{
	size_t i;

	if (process_symbol(pid, o, free_threaded) && !dlsym(RTLD_DEFAULT, free_threaded))
		return err_set(
			err,
			"process %ld runs a free-threaded CPython, which cdbg cannot debug: run the program with "
			"the build that has a global interpreter lock",
			(long)pid);
	for (i = 0; i < sizeof(debugging) / sizeof(*debugging); i++)
		if (!process_symbol(pid, o, debugging[i]) != !dlsym(RTLD_DEFAULT, debugging[i]))
			return err_set(err,
				       "process %ld and this cdbg have different builds of CPython, one of them for "
				       "debugging CPython itself: use a cdbg of the same build",
				       (long)pid);
	return 0;
}

int python_check(pid_t pid, struct python *out, struct err *err)
{
	const unsigned long *ours = dlsym(RTLD_DEFAULT, "Py_Version");
	unsigned long theirs = 0;
	struct process_object o;
	uintptr_t at;

	if (!process_object(pid, "Py_AddPendingCall", NULL, &o))
		return err_set(err, "process %ld has no CPython, or one without symbols: is it the right process?",
			       (long)pid);
	at = process_symbol(pid, &o, "Py_Version");
	if (!at)
		return err_set(err, "process %ld runs a CPython before 3.11, which cdbg cannot debug", (long)pid);
	if (!process_read(pid, at, &theirs, sizeof(theirs)))
		return process_refused(pid, errno, err);
	if (!ours || theirs >> MAJOR_MINOR != *ours >> MAJOR_MINOR)
		return other_version(pid, theirs, ours ? *ours : 0, err);
	out->runtime = theirs == *ours || (is_final(theirs) && is_final(*ours)) ?
			       process_symbol(pid, &o, "_PyRuntime") :
			       0;
	out->add_pending = process_function(pid, &o, "Py_AddPendingCall");
	out->make_pending = process_function(pid, &o, "Py_MakePendingCalls");
	return same_build(pid, &o, err);
}

/* ---- the shared object ------------------------------------------------------------------------------------------- */

/* Has the process a file of this name, in its own root? */
static bool has_file(pid_t pid, const char *path)
{
	char name[PATH_MAX + 48];
	struct stat st;

	return snprintf(name, sizeof(name), "/proc/%ld/root%s", (long)pid, path) < (int)sizeof(name) &&
	       stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* Beside the packages that the process has loaded, or its standard library. */
static bool find_installed(pid_t pid, char *out, size_t max)
{
	static const struct {
		const char *mark, *then;
	} places[] = { { "/site-packages/", "/site-packages" },
		       { "/dist-packages/", "/dist-packages" },
		       { "/lib-dynload/", "/site-packages" } };
	char name[48], line[PATH_MAX + 128], *mark, *path;
	bool found = false;
	size_t i;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)pid);
	f = fopen(name, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		path = strchr(line, '/');
		for (i = 0; path && !found && i < sizeof(places) / sizeof(*places); i++) {
			mark = strstr(path, places[i].mark);
			found = mark &&
				snprintf(out, max, "%.*s%s/cdbg/_cdbg.so", (int)(mark - path), path, places[i].then) <
					(int)max &&
				has_file(pid, out);
		}
	}
	if (f)
		fclose(f);
	return found;
}

int python_library(pid_t pid, char *out, size_t max, struct err *err)
{
	static const char here;
	Dl_info info;

	if (!dladdr(&here, &info) || !info.dli_fname || info.dli_fname[0] != '/')
		return err_set(err, "cannot tell which file cdbg itself was loaded from");
	if (has_file(pid, info.dli_fname)) {
		snprintf(out, max, "%s", info.dli_fname);
		return 0;
	}
	if (find_installed(pid, out, max))
		return 0;
	return err_set(err,
		       "process %ld cannot see '%s': it is in another root, as in a container; install the same cdbg "
		       "there, or mount its folder there by the same name",
		       (long)pid, info.dli_fname);
}
