/* SPDX-License-Identifier: BSD-3-Clause */
/* The C library's streams under names of our own, for the private copies of curses and libedit: see Makefile.am. */
#include "config.h"
#include <stdio.h>

#ifdef PRIVATE_CURSES
extern FILE *uit_stdin, *uit_stdout, *uit_stderr;
FILE *uit_stdin, *uit_stdout, *uit_stderr;

__attribute__((constructor)) static void stdio_names(void)
{
	uit_stdin = stdin;
	uit_stdout = stdout;
	uit_stderr = stderr;
}
#else
typedef int stdio_names_unused;
#endif
