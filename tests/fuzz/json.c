/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine interface: bytes as they come from the other side become lines and replies, each a JSON object; texts of
   the program become JSON strings. */
#include "../../ui/json.c"
#include <Python.h>
#define json_string jansson_string         /* ours has the same name */
#include <jansson.h>
#undef json_string
#include <sys/mman.h>
#include "fuzz.h"
#include "ui/val_json.h"

/* Each line that was written is one JSON object. */
static void check_objects(int fd)
{
	struct buf all = { 0 };
	char part[4096], *s, *nl;
	json_error_t why;
	json_t *o;
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, part, sizeof(part))) > 0)
		buf_add(&all, part, (size_t)n);
	for (s = all.s; s && *s; s = nl + 1) {
		nl = strchr(s, '\n');
		HOLDS(nl);
		o = json_loadb(s, (size_t)(nl - s), JSON_ALLOW_NUL, &why);
		HOLDS(json_is_object(o));
		json_decref(o);
	}
	buf_release(&all);
}

static void check_string(const uint8_t *data, size_t size)
{
	struct buf b = { 0 };
	json_error_t why;
	json_t *o;

	HOLDS(utf8_unfinished((const char *)data, size) <= size);
	json_string(&b, (const char *)data, size);
	o = json_loadb(b.s, b.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
	HOLDS(json_is_string(o));
	json_decref(o);
	buf_release(&b);
}

static void converse(const uint8_t *data, size_t size, enum state state)
{
	int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
	pthread_t t;
	char *line;

	if (in < 0 || out < 0 || pwrite(in, data, size, 0) != (ssize_t)size)
		abort();
	j.in = in;
	j.out = out;
	j.eof = false;
	j.state = state;
	json_out_open(out);
	if (pthread_create(&t, NULL, reader, NULL))
		abort();
	while ((line = next_line())) {
		json_reply_at_once(line, "not here");
		free(line);
	}
	pthread_join(t, NULL);
	check_objects(out);
	json_out_open(-1);
	close(in);
	close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int what = fuzz_byte(&data, &size);

	if (!Py_IsInitialized())
		Py_InitializeEx(0);
	if (what & 1)
		check_string(data, size);
	else
		converse(data, size, what >> 1 & 3);
	return 0;
}
