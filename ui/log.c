/* SPDX-License-Identifier: BSD-3-Clause */
/* `set logging FILE`: opens the file again when the name changes.  Text that cannot be written is reported, and the log
   says where it lacks some.  Knows no terminal. */
#include "config.h"
#include "ui/log.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/ownfd.h"
#include "engine/option.h"
#include "engine/session.h"

static struct {
	int fd;
	char *name;
	int reason;	/* why text was not written, last; 0: all was */
	size_t missing; /* bytes that the log lacks and does not say yet */
} file = { .fd = -1 };

static bool on(struct session *s)
{
	const char *name = option_text(s, "logging");
	struct err err;

	if (!*name && !file.name)
		return false;
	if (!strcmp(name, file.name ? file.name : "") && (file.fd < 0 || ownfd_ok(file.fd)))
		return file.fd >= 0;
	ownfd_close(file.fd); /* or the program closed it: it is opened again */
	free(file.name);
	file.name = mem_str(name);
	file.missing = 0;
	file.reason = 0;
	file.fd = *name ? file_append(name, &err) : -1;
	if (*name && file.fd < 0) /* reported once: the name is known now */
		session_note(s, NOTE_WARNING, "%s", err.text);
	else if (*name && (file.fd = ownfd_move(file.fd)) < 0)
		session_note(s, NOTE_WARNING, "cannot write '%s': %s", name, strerror(errno));
	return file.fd >= 0;
}

/* How many bytes were written. */
static size_t log_bytes(const char *text, size_t n)
{
	size_t all = n;
	ssize_t done;

	while (n) {
		done = write(file.fd, text, n);
		if (done < 0 && errno != EINTR)
			break;
		done = done < 0 ? 0 : done;
		text += done;
		n -= (size_t)done;
	}
	return all - n;
}

/* A full disk may get room again: then the log says what it lacks, and continues. */
static bool log_missing(void)
{
	char *text;
	bool said;

	if (!file.missing)
		return true;
	text = mem_fmt("\n[cdbg: %zu bytes are missing here: %s]\n", file.missing, strerror(file.reason));
	said = log_bytes(text, strlen(text)) == strlen(text);
	if (said)
		file.missing = 0;
	free(text);
	return said;
}

void log_text(struct session *s, const char *text)
{
	size_t n = strlen(text), done;
	int reason;

	if (!n || !on(s))
		return;
	errno = 0;
	done = log_missing() ? log_bytes(text, n) : 0;
	if (done == n)
		return;
	reason = errno;
	file.missing += n - done;
	if (reason == file.reason) /* reported already */
		return;
	file.reason = reason; /* first: the warning is logged, too */
	session_note(s, NOTE_WARNING,
		     "cannot write to the log '%s': %s%s; until it can be written, text is missing in it", file.name,
		     strerror(reason), file_remedy(reason));
}

void log_line(struct session *s, const char *line)
{
	char *text;

	if (!on(s))
		return;
	text = mem_fmt("(cdbg) %s\n", line);
	log_text(s, text);
	free(text);
}
