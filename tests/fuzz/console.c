/* SPDX-License-Identifier: BSD-3-Clause */
/* The output pane's terminal emulation: any bytes a program may write, in pieces of any size, then read and drawn. */
#include "fuzz.h"
#include <fcntl.h>
#include "ui/output/console.h"

/* Of control characters only those of SGR sequences may be left. */
static void check_line(const char *s)
{
	for (; *s; s++) {
		if (*s == '\033') {
			HOLDS(s[1] == '[');
			for (s += 2; *s != 'm'; s++)
				HOLDS((*s >= '0' && *s <= '9') || *s == ';');
		} else {
			HOLDS((unsigned char)*s >= 32 || *s == '\t');
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct grid g;
	static int null = -1;
	size_t piece = (size_t)fuzz_byte(&data, &size) + 1;
	int width = fuzz_byte(&data, &size) % 100, skip = fuzz_byte(&data, &size);
	unsigned long i;
	size_t n;

	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (!g.rows)
		grid_resize(&g, 4, 120);
	while (size) {
		n = piece < size ? piece : size;
		console_bytes((const char *)data, n);
		data += n;
		size -= n;
		HOLDS(console_cursor() >= 0);
	}
	for (i = 0; i <= console_lines() + 1; i++) {
		check_line(console_line(i));
		console_draw(&g, (int)(i % 4), 0, width, skip, console_line(i), i % 2);
	}
	console_tail(null, 3);
	console_dying(null, 2);
	console_bytes("\033\\\033[0m\n", 7); /* no input begins inside the last one's sequence */
	console_release();
	return 0;
}
