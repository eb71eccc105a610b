/* SPDX-License-Identifier: BSD-3-Clause */
/* `restart`: see restart.h.  The program starts as it did at first: arguments, environment, directory. */
#include "config.h"
#include "restart.h"
#include <Python.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/file.h"
#include "base/ownfd.h"
#include "engine/bp.h"
#include "engine/display.h"
#include "engine/option.h"
#include "engine/session.h"

extern char **environ;

static struct {
	char **argv; /* sys.orig_argv, its first the interpreter's path */
	int argc;
	int at; /* index after `-m cdbg`; 0: it was not started like that */
	char **env;
	int cwd;
	char *folder; /* its name, for a program that closed cwd */
	sigset_t mask;
} start = { .cwd = -1 };

static char *fs_text(PyObject *text)
{
	PyObject *bytes = text && PyUnicode_Check(text) ? PyUnicode_EncodeFSDefault(text) : NULL;
	char *r = bytes ? mem_str(PyBytes_AS_STRING(bytes)) : NULL;

	Py_XDECREF(bytes);
	PyErr_Clear();
	return r;
}

static void remember_argv(void)
{
	PyObject *argv = PySys_GetObject("orig_argv");
	char *exe = fs_text(PySys_GetObject("executable"));
	int i, n = argv && PyList_Check(argv) ? (int)PyList_GET_SIZE(argv) : 0;

	start.argv = mem_alloc(((size_t)n + 1) * sizeof(*start.argv));
	for (i = 0; i < n; i++) {
		start.argv[i] = fs_text(PyList_GET_ITEM(argv, i));
		if (!start.argv[i])
			return;
		if (!start.at && i && !strcmp(start.argv[i], "cdbg") && !strcmp(start.argv[i - 1], "-m"))
			start.at = i + 1;
		else if (!start.at && !strcmp(start.argv[i], "-mcdbg"))
			start.at = i + 1;
	}
	start.argc = n;
	if (n && exe && *exe) {
		free(start.argv[0]);
		start.argv[0] = exe;
	} else {
		start.at = 0;
		free(exe);
	}
}

void restart_remember(void)
{
	size_t n = 0;

	if (start.argv)
		return;
	remember_argv();
	if (!start.at)
		return;
	while (environ[n])
		n++;
	start.env = mem_alloc((n + 1) * sizeof(*start.env));
	while (n--)
		start.env[n] = mem_str(environ[n]);
	start.cwd = ownfd_move(open(".", O_PATH | O_CLOEXEC));
	start.folder = getcwd(NULL, 0);
	pthread_sigmask(SIG_SETMASK, NULL, &start.mask);
}

bool restart_possible(void)
{
	return start.at > 0;
}

static void add_options(struct session *s, struct buf *out)
{
	const struct option_def *d;
	char value[1100];
	bool same;
	int i;

	for (i = 0; (d = option_at(s, i)); i++) {
		option_value(s, d, value, sizeof(value));
		if (d->type == OPTION_CHOICE || d->type == OPTION_TEXT)
			same = !strcmp(value, d->text ? d->text : "");
		else
			same = option_number(s, d->name) == d->number;
		if (!same)
			buf_addf(out, "set %s %s\n", d->name, value);
	}
}

int restart_prepare(struct restart *r, struct session *s, struct err *err)
{
	struct buf script = { 0 };
	struct bp *b;
	bool written;
	int i, n = 0;

	r->fd = memfd_create("cdbg", 0); /* inherited */
	if (r->fd < 0)
		return err_set(err, "cannot restart: %s", strerror(errno));
	add_options(s, &script);
	for (b = bp_first(s); b; b = b->next)
		bp_script(s, b, &script);
	display_script(s, &script);
	written = write(r->fd, buf_str(&script), script.len) == (ssize_t)script.len;
	buf_release(&script);
	if (!written) {
		err_set(err, "cannot restart: %s", strerror(errno));
		close(r->fd);
		return -1;
	}
	lseek(r->fd, 0, SEEK_SET);
	r->argv = mem_alloc(((size_t)start.argc + 2) * sizeof(*r->argv));
	for (i = 0; i < start.argc; i++) {
		if (i == start.at)
			r->argv[n++] = mem_fmt("--restart=%d", r->fd);
		if (i != start.at || strncmp(start.argv[i], "--restart=", 10))
			r->argv[n++] = start.argv[i];
	}
	return 0;
}

void restart_now(struct restart *r, struct err *err)
{
	if (ownfd_ok(start.cwd) ? fchdir(start.cwd) < 0 : start.folder && chdir(start.folder) < 0)
		err_set(err, "cannot change to the directory in which the program was started: %s", strerror(errno));
	pthread_sigmask(SIG_SETMASK, &start.mask, NULL);
	execve(r->argv[0], r->argv, start.env);
	err_set(err, "cannot restart '%s': %s", r->argv[0], strerror(errno));
}

/* The commands end with a NUL, which nothing follows or what was said. */
static struct buf before;

void restart_say(struct restart *r, const struct buf *said)
{
	if (lseek(r->fd, 0, SEEK_END) < 0 || file_write_all(r->fd, "", 1) < 0 ||
	    file_write_all(r->fd, buf_str((struct buf *)said), said->len) < 0)
		dprintf(2, "cdbg: what the client has set is lost: %s\n", strerror(errno));
	lseek(r->fd, 0, SEEK_SET);
}

/* Once: the descriptor is closed then. */
static void read_before(int fd)
{
	static bool done;
	char part[4096];
	ssize_t n;

	if (done)
		return;
	done = true;
	while ((n = read(fd, part, sizeof(part))) > 0)
		buf_add(&before, part, (size_t)n);
	close(fd);
}

const char *restart_said(int fd)
{
	size_t n;

	if (fd < 0)
		return NULL;
	read_before(fd);
	n = strlen(buf_str(&before));
	return n < before.len ? before.s + n + 1 : NULL;
}

void restart_queue(struct session *s, int fd)
{
	char *line, *save = NULL, *text;

	read_before(fd);
	text = mem_str(buf_str(&before));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		session_queue(s, line);
	free(text);
}
