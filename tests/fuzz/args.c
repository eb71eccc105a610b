/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `python -m cdbg`: each line of the input is one argument. */
#include "fuzz.h"
#include "base/err.h"
#include "ui/args.h"

enum { ARGS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text, *argv[ARGS + 1] = { NULL };
	struct err err = { "" };
	struct args a;
	int argc = 0;

	while (rest && argc < ARGS)
		argv[argc++] = mem_str(strsep(&rest, "\n"));
	if (args_parse(&a, argc, argv, &err) < 0)
		HOLDS(*err.text);
	else /* there is something to do */
		HOLDS(a.help || a.version || a.module || a.attached || a.instead.attach || a.instead.post_mortem ||
		      a.ranks.on || (a.dap && a.first == -1) || (a.first >= 0 && a.first < argc));
	args_release(&a);
	while (argc)
		free(argv[--argc]);
	free(text);
	return 0;
}
