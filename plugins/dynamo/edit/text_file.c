/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in files, for the user and the user's editor.  Knows nothing of what they say. */
#include "edit/text_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 16 << 20 };

int text_write(const char *path, const struct buf *text, struct err *err)
{
	FILE *f = fopen(path, "we");
	bool well = f && fwrite(text->s, 1, text->len, f) == text->len;

	if (f && fclose(f) == 0 && well)
		return 0;
	return err_set(err, "cannot write '%s': %s", path, strerror(errno));
}

int text_read(const char *path, struct buf *text, struct err *err)
{
	FILE *f = fopen(path, "re");
	char part[4096];
	size_t n;

	if (!f)
		return err_set(err, "cannot read '%s': %s", path, strerror(errno));
	while ((n = fread(part, 1, sizeof(part), f)) > 0 && text->len < TEXT_MAX)
		buf_add(text, part, n);
	buf_addf(text, "%s", "");
	n = (size_t)ferror(f);
	fclose(f);
	if (n)
		return err_set(err, "cannot read '%s': %s", path, strerror(errno));
	if (text->len >= TEXT_MAX || memchr(text->s, '\0', text->len))
		return err_set(err, "'%s' is not a text file", path);
	return 0;
}

char *text_temporary(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char *path = mem_fmt("%s/cdbg-code-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkstemp(path);

	if (fd >= 0) {
		close(fd);
		return path;
	}
	err_set(err, "cannot write '%s': %s", path, strerror(errno));
	free(path);
	return NULL;
}
