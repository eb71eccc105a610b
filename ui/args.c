/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `python -m cdbg`: see args.h.  Knows no session. */
#include "ui/args.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"

const char args_usage[] =
	"usage: python -m cdbg [OPTION]... SCRIPT [ARGUMENT]...\n"
	"       python -m cdbg [OPTION]... -m MODULE [ARGUMENT]...\n"
	"\n"
	"Run a program and step it, into the bytecode that torch.compile makes of it.\n"
	"\n"
	"  -ex COMMAND       run this command at the first stop (also -c; repeatable)\n"
	"  -x FILE           run the commands of FILE at the first stop (repeatable)\n"
	"  -batch            quit when those are done\n"
	"  -nx               do not read ~/.cdbgrc and ./.cdbgrc\n"
	"  -q                say nothing at the start\n"
	"  --plain           the command line, also where a full screen could be had\n"
	"  --json[=FD]       speak JSON on standard input and output, or on the socket FD\n"
	"  --version         tell the version\n"
	"  --help            this text\n"
	"\n"
	"At the prompt, 'help' lists the commands.\n";

static void add_line(struct args *a, char *line)
{
	a->lines = mem_grow(a->lines, &a->cap, a->nlines + 1, sizeof(*a->lines));
	a->lines[a->nlines++] = line;
}

/* One dash or two are the same; *value is what stands behind "=", or NULL. */
static bool is(const char *arg, const char *name, const char **value)
{
	size_t n = strlen(name);

	*value = NULL;
	if (*arg++ != '-')
		return false;
	if (*arg == '-')
		arg++;
	if (strncmp(arg, name, n))
		return false;
	if (arg[n] == '=')
		*value = arg + n + 1;
	return !arg[n] || arg[n] == '=';
}

static int number(const char *text, const char *what, int *out, struct err *err)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 0 || n > INT_MAX)
		return err_set(err, "%s needs the number of a descriptor, not '%s'", what, text);
	*out = (int)n;
	return 0;
}

static bool flag(struct args *a, const char *arg)
{
	const struct {
		const char *name;
		bool *set;
	} flags[] = {
		{ "batch", &a->batch }, { "q", &a->quiet }, { "quiet", &a->quiet }, { "nx", &a->norc },
		{ "help", &a->help }, { "h", &a->help }, { "version", &a->version }, { "V", &a->version },
	};
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (is(arg, flags[i].name, &value) && !value) {
			*flags[i].set = true;
			return true;
		}
	return false;
}

/* An option with a value; *used tells whether the value was the next argument.  1: it was one of these. */
static int valued(struct args *a, const char *arg, const char *next, bool *used, struct err *err)
{
	const char *value;

	if (is(arg, "json", &value)) {
		a->json = true;
		return value ? number(value, "--json", &a->json_fd, err) : 0;
	}
	if (is(arg, "plain", &value) && !value) {
		a->plain = true;
		return 0;
	}
	if (is(arg, "restart", &value) && value)
		return number(value, "--restart", &a->restart_fd, err);
	*used = false;
	if (is(arg, "m", &value) || is(arg, "x", &value) || is(arg, "ex", &value) || is(arg, "c", &value) ||
	    is(arg, "command", &value) || is(arg, "eval-command", &value)) {
		*used = !value;
		value = value ? value : next;
		if (!value)
			return err_set(err, "'%s' needs something behind it", arg);
		if (is(arg, "m", &next))
			a->module = value;
		else if (is(arg, "x", &next) || is(arg, "command", &next))
			add_line(a, mem_fmt("source %s", value));
		else
			add_line(a, mem_str(value));
		return 0;
	}
	return err_set(err, "no option '%s'", arg);
}

int args_parse(struct args *a, int argc, char **argv, struct err *err)
{
	bool used;
	int i;

	memset(a, 0, sizeof(*a));
	a->json_fd = a->restart_fd = -1;
	for (i = 0; i < argc && argv[i][0] == '-' && argv[i][1] && !a->module; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (flag(a, argv[i]))
			continue;
		used = false;
		if (valued(a, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used, err) < 0)
			return -1;
		i += used;
	}
	a->first = i;
	if (!a->help && !a->version && !a->module && i >= argc)
		return err_set(err, "which program? give a script, or -m and a module");
	return 0;
}

void args_release(struct args *a)
{
	while (a->nlines)
		free(a->lines[--a->nlines]);
	free(a->lines);
	memset(a, 0, sizeof(*a));
}
