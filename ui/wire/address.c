/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a session listens: see address.h. */
#include "ui/wire/address.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"

static const char unix_prefix[] = "unix:";

/* A folder of the user's own, by the name that all programs of the user find. */
static char *default_path(void)
{
	const char *run = getenv("XDG_RUNTIME_DIR");

	if (run && *run == '/')
		return mem_fmt("%s/cdbg/%ld.sock", run, (long)getpid());
	return mem_fmt("/tmp/cdbg-%ld/%ld.sock", (long)geteuid(), (long)getpid());
}

static char *with_process(const char *path)
{
	struct buf b = { 0 };
	const char *mark;

	for (; (mark = strstr(path, "%p")); path = mark + 2)
		buf_addf(&b, "%.*s%ld", (int)(mark - path), path, (long)getpid());
	buf_adds(&b, path);
	return buf_detach(&b);
}

static int parse_path(struct address *a, const char *path, struct err *err)
{
	char here[PATH_MAX], *whole;

	a->path = *path ? with_process(path) : default_path();
	if (a->path[0] == '/')
		return 0;
	if (!getcwd(here, sizeof(here)))
		return err_set(err, "cannot listen on '%s': the current directory is unknown; give an absolute path",
			       a->path);
	whole = mem_fmt("%s/%s", here, a->path);
	free(a->path);
	a->path = whole;
	return 0;
}

static int parse_host(struct address *a, const char *text, struct err *err)
{
	const char *colon = strrchr(text, ':');
	size_t n = (size_t)(colon - text);
	long port;

	if (!text_is_number(colon + 1, 0, 65535, &port))
		return err_set(err,
			       "invalid address '%s': expected unix:PATH, HOST:PORT or :PORT, with a PORT up to 65535",
			       text);
	a->port = (int)port;
	if (n >= 2 && text[0] == '[' && text[n - 1] == ']')
		a->host = mem_strn(text + 1, n - 2);
	else if (memchr(text, ':', n))
		return err_set(err, "invalid address '%s': a host that has colons is written in brackets, [HOST]:PORT",
			       text);
	else
		a->host = n ? mem_strn(text, n) : mem_str("127.0.0.1");
	return 0;
}

int address_parse(struct address *a, const char *text, struct err *err)
{
	memset(a, 0, sizeof(*a));
	if (!strncmp(text, unix_prefix, strlen(unix_prefix)))
		return parse_path(a, text + strlen(unix_prefix), err);
	if (*text && text[strspn(text, "0123456789")] == '\0') { /* a port alone */
		char *with_colon = mem_fmt(":%s", text);
		int ret = parse_host(a, with_colon, err);

		free(with_colon);
		return ret;
	}
	if (!strchr(text, ':'))
		return err_set(err, "invalid address '%s': expected unix:PATH, HOST:PORT or :PORT", text);
	return parse_host(a, text, err);
}

void address_release(struct address *a)
{
	free(a->path);
	free(a->host);
	memset(a, 0, sizeof(*a));
}
