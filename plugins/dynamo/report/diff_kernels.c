/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the loops of kernels: see diff_kernels.h.  Knows the data tree only. */
#include "report/diff_kernels.h"
#include <ctype.h>
#include <string.h>

/* At the keyword of a loop with braces?  Inductor writes no other loop. */
static bool begins_loop(const char *text, const char *p)
{
	if (strncmp(p, "for", 3) || (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_')))
		return false;
	return p[3 + strspn(p + 3, " ")] == '(';
}

int diff_kernel_loops(const struct val *kernel)
{
	const char *text = val_text(kernel, "source"), *p;
	int n = 0, depth = 0, outer = -1; /* the braces around the outermost loop; -1: in none */

	if (strcmp(val_text(kernel, "language"), "c++"))
		return 0;
	for (p = text; *p; p++)
		if (*p == '{') {
			depth++;
		} else if (*p == '}') {
			depth--;
			if (depth == outer)
				outer = -1;
		} else if (outer < 0 && begins_loop(text, p)) {
			outer = depth;
			n++;
		}
	return n;
}
