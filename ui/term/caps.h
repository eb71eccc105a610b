/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal's description, for terminal.c only. */
#ifndef CDBG_CAPS_H
#define CDBG_CAPS_H
#include <stddef.h>

struct err;

#define CAPS_MODES_OFF "\033[?2004l\033[?1006l\033[?1000l"

int caps_check(const char *type, int fd, struct err *err); /* can it move the cursor and erase? */
/* The bytes that leave the screen, at most size; needs curses' screen. Returns their number. */
size_t caps_leave(char *out, size_t size);

#endif
