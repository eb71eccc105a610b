/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the terminal's description: whether it is sufficient for a full screen, and the bytes that leave one. */
#include "config.h"
#include "ui/term/caps.h"
#include <curses.h>
#include <term.h>
#include "base/err.h"

static struct {
	char *s;
	size_t n, size;
} leave;

static bool has_cap(const char *name)
{
	const char *s = tigetstr(name);

	return s && s != (char *)-1;
}

int caps_check(const char *type, int fd, struct err *err)
{
	bool able;
	int why;

	if (setupterm(type, fd, &why) != OK)
		return err_set(err, "unknown terminal type '%s'", type);
	able = has_cap("cup") && has_cap("el");
	del_curterm(cur_term);
	return able ? 0 : err_set(err, "terminal type '%s' cannot move the cursor", type);
}

static int bye_putc(int c)
{
	if (leave.n < leave.size)
		leave.s[leave.n++] = (char)c;
	return c;
}

size_t caps_leave(char *out, size_t size)
{
	static const char *const caps[] = { "sgr0", "op", "cnorm", "rmkx", "rmcup" };
	const char *s;
	size_t i;

	leave.s = out;
	leave.size = size;
	leave.n = 0;
	for (s = CAPS_MODES_OFF; *s; s++)
		bye_putc(*s);
	for (i = 0; i < sizeof(caps) / sizeof(*caps); i++)
		if (has_cap(caps[i]))
			tputs(tigetstr(caps[i]), 1, bye_putc);
	return leave.n;
}
