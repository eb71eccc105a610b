/* SPDX-License-Identifier: BSD-3-Clause */
/* The history file, in cdbg's format and in libedit's: read, cut where it is too long, appended to and read again. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "base/err.h"
#include "fuzz.h"
#include "ui/line/history.h"

static int nlines;

static void each(void *arg, const char *line)
{
	char **last = arg;

	HOLDS(*line && !strchr(line, '\n'));
	free(*last);
	*last = mem_str(line);
	nlines++;
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	HOLDS(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char home[] = "/tmp/fuzz-history-XXXXXX";
	static char *name;
	char *last = NULL;
	struct err err = { 0 };
	long max = fuzz_byte(&data, &size);

	if (!name) {
		HOLDS(mkdtemp(home));
		setenv("HOME", home, 1);
		name = mem_fmt("%s/.cdbg_history", home);
	}
	write_file(name, data, size);
	nlines = 0;
	history_load(max, each, &last);
	HOLDS(nlines <= max);
	HOLDS(!history_append("the last line", max, &err));
	nlines = 0;
	history_load(max, each, &last);
	HOLDS(nlines <= max && (!max || (last && strstr(last, "the last line"))));
	free(last);
	unlink(name);
	return 0;
}
