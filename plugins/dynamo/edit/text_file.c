/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in files, for the user and the user's editor.  Knows nothing of what they say. */
#include "edit/dynamo_edit.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 16 << 20 };

int text_file_write(const char *path, const struct buf *text, struct err *err)
{
	return file_write(path, buf_str(text), text->len, 0666, err);
}

static int read_text(const char *path, bool own, struct buf *text, struct err *err)
{
	if (file_read(path, own, text, TEXT_MAX, err) < 0)
		return -1;
	buf_adds(text, "");
	return memchr(text->s, '\0', text->len) ? err_set(err, "'%s' is not a text file", path) : 0;
}

int text_file_read(const char *path, struct buf *text, struct err *err)
{
	return read_text(path, false, text, err);
}

int text_file_read_own(const char *path, struct buf *text, struct err *err)
{
	return read_text(path, true, text, err);
}

char *text_file_temporary(const struct buf *text, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char *path = mem_fmt("%s/cdbg-code-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC), reason; /* 0600 */

	if (fd >= 0 && file_write_all(fd, buf_str(text), text->len) == 0 && file_sync(fd) == 0) {
		close(fd);
		return path;
	}
	reason = errno;
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	err_set(err, "cannot write '%s': %s%s", path, strerror(reason), file_remedy(reason));
	free(path);
	return NULL;
}
