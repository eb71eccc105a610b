/* SPDX-License-Identifier: BSD-3-Clause */
/* `set logging FILE`: opens the file again when the name changes.  Knows no terminal. */
#include "config.h"
#include "ui/log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/ownfd.h"
#include "engine/option.h"
#include "engine/session.h"

static struct {
	int fd;
	char *name;
} file = { .fd = -1 };

static bool on(struct session *s)
{
	const char *name = option_text(s, "logging");

	if (!*name && !file.name)
		return false;
	if (!strcmp(name, file.name ? file.name : "") && (file.fd < 0 || ownfd_ok(file.fd)))
		return file.fd >= 0;
	ownfd_close(file.fd); /* or the program closed it: it is opened again */
	free(file.name);
	file.name = mem_str(name);
	file.fd = *name ? ownfd_move(open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) : -1;
	if (*name && file.fd < 0) /* reported once: the name is known now */
		session_note(s, NOTE_WARNING, "cannot write '%s': %s", name, strerror(errno));
	return file.fd >= 0;
}

void log_text(struct session *s, const char *text)
{
	size_t n;
	ssize_t done;

	if (!on(s))
		return;
	for (n = strlen(text); n; n -= (size_t)done, text += done) {
		done = write(file.fd, text, n);
		if (done < 0 && errno != EINTR)
			return;
		done = done < 0 ? 0 : done;
	}
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
