/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of command lines, such as ~/.cdbgrc: read by `source`, its lines run in order. */
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "cmd/cmd.h"
#include "engine/session.h"

static int at_stop(struct session *s, const uint8_t *data, size_t size)
{
	int fd = memfd_create("rc", MFD_CLOEXEC), lines = 0;
	struct buf text = { 0 };
	char *line;

	HOLDS(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	buf_addf(&text, "source /proc/self/fd/%d", fd);
	fuzz_run(s, buf_str(&text));
	while ((line = session_unqueue(s))) {
		HOLDS(!strchr(line, '\n'));
		if (lines++ < 12 && fuzz_harmless(s, line))
			fuzz_run(s, line);
		free(line);
	}
	cmd_gather_drop(s);
	fuzz_run(s, "delete");
	fuzz_run(s, "undisplay");
	fuzz_run(s, "frame 0");
	buf_release(&text);
	close(fd);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;
