/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `python -m cdbg`: see args.h.  Knows no session. */
#include "ui/args.h"
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/pick.h"

const char args_usage
	[] = "usage: python -m cdbg [OPTION]... SCRIPT|- [ARGUMENT]...\n"
	     "       python -m cdbg [OPTION]... -m MODULE [ARGUMENT]...\n"
	     "       python -m cdbg [OPTION]... --attach PID\n"
	     "\n"
	     "Run a program and step it, into the bytecode that torch.compile makes of it.\n"
	     "'cdbg' is short for 'python -m cdbg'. The commonest calls:\n"
	     "\n"
	     "  cdbg train.py ARGUMENT...        stop before the first line of train.py\n"
	     "  cdbg -ex 'catch recompile' -ex continue train.py\n"
	     "                                   stop where a function is compiled again, and say why\n"
	     "  cdbg --report DIR train.py       run without stopping, and write what was compiled as pages\n"
	     "\n"
	     "  --attach PID      debug a process that runs (also -p)\n"
	     "  -ex COMMAND       run this command at the first stop (also -c; repeatable)\n"
	     "  -x FILE           run the commands of FILE at the first stop (repeatable)\n"
	     "  -batch            quit when those are done\n"
	     "  -nx               do not read ~/.cdbgrc and ./.cdbgrc\n"
	     "  -q                print nothing at the start\n"
	     "  --plain           use the command line, not the full screen\n"
	     "  --json[=WHERE]    speak JSON on standard input and output, or on a socket: unix:PATH,\n"
	     "                    HOST:PORT or :PORT to wait for a client on, or an open descriptor\n"
	     "  --dap[=WHERE]     serve an editor by the Debug Adapter Protocol; without SCRIPT the\n"
	     "                    editor says what to run\n"
	     "  --token-file FILE of HOST:PORT: the token that a client must send is in FILE, not printed\n"
	     "  --ranks[=N]       one prompt for a distributed job: '--ranks -- torchrun ...' runs any\n"
	     "                    launcher, =N starts N ranks of the script\n"
	     "  --listen[=WHERE]  the same for a job started elsewhere, of --world N ranks\n"
	     "  --record[=FILE]   'record' at the first stop; FILE has the record, also of a process that was killed\n"
	     "  --post-mortem FILE  run nothing: look at the record of a process that is gone\n"
	     "  --report DIR      run without stopping, and write a report on what was compiled\n"
	     "  --report-blame    for --report: judge the first call of each entry, as 'catch wrong' does\n"
	     "  --version         print the version\n"
	     "  --help            print this text\n"
	     "\n"
	     "At the prompt, 'help' lists the commands.\n";

static void add_command(struct args *a, char *line)
{
	a->lines = mem_grow(a->lines, &a->cap, a->nlines + 1, sizeof(*a->lines));
	a->lines[a->nlines++] = line;
}

static int parse_count(const char *text, const char *what, int *out, struct err *err)
{
	long n;

	if (!text_is_number(text, 0, INT_MAX, &n))
		return err_set(err, "invalid value '%s' for '%s': expected the number of a descriptor%s", text, what,
			       strcmp(what, "--json") ? "" : ", unix:PATH, HOST:PORT or :PORT");
	*out = (int)n;
	return 0;
}

static int parse_pid(const char *text, pid_t *out, struct err *err)
{
	long n;

	if (!text_is_number(text, 1, INT_MAX, &n))
		return err_set(err, "invalid value '%s' for '--attach': expected the number of a process", text);
	*out = (pid_t)n;
	return 0;
}

static int parse_ranks(const char *text, const char *what, int *out, struct err *err)
{
	long n;

	if (!text_is_number(text, 1, 1 << 16, &n))
		return err_set(err, "invalid value '%s' for '%s': expected a number of ranks", text, what);
	*out = (int)n;
	return 0;
}

enum option_id {
	OPT_BATCH = 1,
	OPT_QUIET,
	OPT_NORC,
	OPT_HELP,
	OPT_VERSION,
	OPT_PLAIN,
	OPT_JSON,
	OPT_DAP,
	OPT_DAP_SENT,
	OPT_DAP_GIVEN,
	OPT_DAP_TERMINAL,
	OPT_RESTART,
	OPT_MODULE,
	OPT_COMMAND,
	OPT_FILE,
	OPT_RECORD,
	OPT_POST_MORTEM,
	OPT_REPORT,
	OPT_REPORT_BLAME,
	OPT_REPORT_RANK,
	OPT_TOKEN_FILE,
	OPT_ATTACH,
	OPT_ATTACHED,
	OPT_ATTACHED_RANK,
	OPT_ATTACHED_NOTE,
	OPT_RANKS,
	OPT_LISTEN,
	OPT_WORLD,
};

/* One dash and two have the same meaning, and an unambiguous prefix is sufficient: getopt_long_only(). */
static const struct option options[] = {
	{ "batch", no_argument, NULL, OPT_BATCH },
	{ "q", no_argument, NULL, OPT_QUIET },
	{ "quiet", no_argument, NULL, OPT_QUIET },
	{ "nx", no_argument, NULL, OPT_NORC },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "h", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "V", no_argument, NULL, OPT_VERSION },
	{ "plain", no_argument, NULL, OPT_PLAIN },
	{ "json", optional_argument, NULL, OPT_JSON },
	{ "dap", optional_argument, NULL, OPT_DAP },
	{ "dap-sent", required_argument, NULL, OPT_DAP_SENT },
	{ "dap-given", required_argument, NULL, OPT_DAP_GIVEN },
	{ "dap-terminal", no_argument, NULL, OPT_DAP_TERMINAL },
	{ "record", optional_argument, NULL, OPT_RECORD },
	{ "post-mortem", required_argument, NULL, OPT_POST_MORTEM },
	{ "report", required_argument, NULL, OPT_REPORT },
	{ "report-blame", no_argument, NULL, OPT_REPORT_BLAME },
	{ "report-rank", required_argument, NULL, OPT_REPORT_RANK },
	{ "ranks", optional_argument, NULL, OPT_RANKS },
	{ "listen", optional_argument, NULL, OPT_LISTEN },
	{ "world", required_argument, NULL, OPT_WORLD },
	{ "token-file", required_argument, NULL, OPT_TOKEN_FILE },
	{ "restart", required_argument, NULL, OPT_RESTART },
	{ "attach", required_argument, NULL, OPT_ATTACH },
	{ "p", required_argument, NULL, OPT_ATTACH },
	{ "attached", optional_argument, NULL, OPT_ATTACHED },
	{ "attached-rank", no_argument, NULL, OPT_ATTACHED_RANK },
	{ "attached-note", required_argument, NULL, OPT_ATTACHED_NOTE },
	{ "m", required_argument, NULL, OPT_MODULE },
	{ "x", required_argument, NULL, OPT_FILE },
	{ "command", required_argument, NULL, OPT_FILE },
	{ "ex", required_argument, NULL, OPT_COMMAND },
	{ "eval-command", required_argument, NULL, OPT_COMMAND },
	{ "c", required_argument, NULL, OPT_COMMAND },
	{ NULL, 0, NULL, 0 },
};

static const char *arg_name_at(const void *arg, int i)
{
	(void)arg;
	return options[i].name;
}

/* What getopt refused. */
static int refuse_arg(const char *arg, int why, struct err *err)
{
	static const struct pick names = { .what = "option", .at = arg_name_at };
	size_t dashes = strspn(arg, "-"), n = strcspn(arg, "=");
	char *name = mem_strn(arg + dashes, n > dashes ? n - dashes : 0);
	const char *near = pick_nearest(&names, name);
	int ret;

	if (why == ':')
		ret = err_set(err, "option '%s' needs a value", arg);
	else if (pick_exact(&names, name) >= 0)
		ret = err_set(err, "option '%.*s' takes no value", (int)n, arg);
	else if (near)
		ret = err_set(err, "unknown option '%s'; did you mean '-%s%s'?", arg, near[1] ? "-" : "", near);
	else
		ret = err_set(err, "unknown or ambiguous option '%s'", arg);
	free(name);
	return ret;
}

/* WHERE of --json. */
static int take_where(struct args *a, const char *value, struct err *err)
{
	if (value && strchr(value, ':')) {
		a->address = value;
		return 0;
	}
	return value ? parse_count(value, "--json", &a->talk_fd, err) : 0;
}

/* What an option without more to it sets; NULL: it is another one. */
static bool *flag_of(struct args *a, int id)
{
	switch (id) {
	case OPT_BATCH:
		return &a->batch;
	case OPT_QUIET:
		return &a->quiet;
	case OPT_NORC:
		return &a->norc;
	case OPT_PLAIN:
		return &a->plain;
	case OPT_DAP_TERMINAL:
		return &a->dap_start.terminal;
	case OPT_REPORT_BLAME:
		return &a->report_blame;
	case OPT_HELP:
		return &a->help;
	case OPT_VERSION:
		return &a->version;
	}
	return NULL;
}

static int take_arg(struct args *a, int id, const char *arg, const char *value, struct err *err)
{
	bool *flag = flag_of(a, id);

	if (flag) {
		*flag = true;
		return 0;
	}
	switch (id) {
	case OPT_JSON:
		a->json = true;
		return take_where(a, value, err);
	case OPT_DAP:
		a->dap = true;
		a->address = value;
		return 0;
	case OPT_DAP_SENT:
		return parse_count(value, "--dap-sent", &a->dap_start.sent, err);
	case OPT_DAP_GIVEN:
		return parse_count(value, "--dap-given", &a->dap_start.given, err);
	case OPT_RANKS:
		a->ranks.on = true;
		return value ? parse_ranks(value, "--ranks", &a->ranks.local, err) : 0;
	case OPT_LISTEN:
		a->ranks.on = true;
		a->ranks.listen = value ? value : "127.0.0.1:0";
		return 0;
	case OPT_WORLD:
		return parse_ranks(value, "--world", &a->ranks.world, err);
	case OPT_TOKEN_FILE:
		a->token_file = value;
		return 0;
	case OPT_RECORD:
		add_command(a, value ? mem_fmt("record -o %s", value) : mem_str("record"));
		return 0;
	case OPT_POST_MORTEM:
		a->instead.post_mortem = value;
		return 0;
	case OPT_REPORT_RANK:
	case OPT_REPORT:
		a->report = value;
		a->rank = id == OPT_REPORT_RANK;
		return 0;
	case OPT_RESTART:
		return parse_count(value, "--restart", &a->restart_fd, err);
	case OPT_ATTACH:
		return parse_pid(value, &a->instead.attach, err);
	case OPT_ATTACHED_RANK:
	case OPT_ATTACHED:
		a->attached = true;
		a->rank = id == OPT_ATTACHED_RANK;
		a->other.terminal = value;
		return 0;
	case OPT_ATTACHED_NOTE:
		a->other.note = value;
		return 0;
	case OPT_MODULE:
		a->module = value;
		return 0;
	case OPT_FILE:
		add_command(a, mem_fmt("source %s", value));
		return 0;
	case OPT_COMMAND:
		add_command(a, mem_str(value));
		return 0;
	}
	return refuse_arg(arg, id, err);
}

/* The process has one set of getopt's variables: a library of the program may use them later. */
struct getopt_state {
	int ind, err, opt;
	char *arg;
};

static struct getopt_state getopt_begin(void)
{
	struct getopt_state was = { optind, opterr, optopt, optarg };

	opterr = 0;
	optind = 0; /* glibc: forget whatever was scanned before */
	return was;
}

static void getopt_end(const struct getopt_state *was)
{
	char *const none[] = { (char *)"", NULL };

	optind = 0;
	getopt(1, none, ""); /* glibc: forget the '+' that was used here */
	optind = was->ind;
	opterr = was->err;
	optopt = was->opt;
	optarg = was->arg;
}

static int check_ranks(const struct args *a, bool command, struct err *err)
{
	if (a->help || a->version)
		return 0;
	if (a->dap || a->module)
		return err_set(err, "--ranks cannot be used with --dap or -m: give the launcher's command");
	if (a->report && a->ranks.listen)
		return err_set(err, "--report starts the job itself: --ranks --report DIR -- torchrun ...");
	if (!a->ranks.listen && !command)
		return err_set(err, "no command given: --ranks -- torchrun ..., or --ranks=N script.py");
	if (a->ranks.listen && !command && !a->ranks.world)
		return err_set(err, "--listen needs the number of ranks that it waits for: --world N");
	return 0;
}

int args_parse(struct args *a, int argc, char **argv, struct err *err)
{
	char **all = mem_alloc(((size_t)argc + 2) * sizeof(*all)); /* with the name of the program, and NULL */
	struct getopt_state was = getopt_begin();
	int id, i = 1, ret = 0;

	memset(a, 0, sizeof(*a));
	a->talk_fd = a->restart_fd = a->dap_start.given = a->other.channel = -1;
	a->command = true;
	all[0] = (char *)"cdbg";
	memcpy(all + 1, argv, (size_t)argc * sizeof(*all));
	/* '+': the first argument that is not an option ends the options, nothing is moved */
	while (ret == 0 && !a->module && (id = getopt_long_only(argc + 1, all, "+:", options, NULL)) != -1)
		ret = take_arg(a, id, all[optind - 1], optarg, err);
	if (optind > 0)
		i = optind;
	getopt_end(&was);
	free(all);
	a->first = i - 1;
	if (ret == 0 && a->report_blame && !a->report)
		ret = err_set(err, "--report-blame needs --report DIR: the verdicts are a part of the report");
	if (ret == 0 && a->json && a->dap)
		ret = err_set(err, "--json and --dap are two protocols for one conversation: choose one");
	if (ret == 0 && a->report && (a->json || a->dap || a->plain || a->nlines))
		ret = err_set(err,
			      "--report runs without stopping: it cannot be used with --json, --dap, --plain, -x or "
			      "-ex");
	if (ret == 0 && a->token_file && !a->address && !a->ranks.listen)
		ret = err_set(err, "--token-file is of no use without --json=HOST:PORT or --dap=HOST:PORT");
	if (ret == 0 && a->dap && a->address && !a->module && !a->attached && a->first >= argc)
		ret = err_set(err,
			      "no program given: with --dap=%s name a script, or -m and a module; --dap alone "
			      "lets the editor say it",
			      a->address);
	if (ret == 0 && a->ranks.on)
		return check_ranks(a, argv[a->first] != NULL, err);
	if (ret == 0 && a->ranks.world)
		return err_set(err, "--world is of no use without --listen");
	if (ret == 0 && a->instead.attach && (a->report || a->module || a->first < argc || a->address || a->dap))
		ret = err_set(err, "--attach takes a process that runs: no script, -m, --report, --dap or address");
	if (ret == 0 && a->instead.post_mortem &&
	    (a->report || a->module || a->first < argc || a->dap || a->instead.attach || a->ranks.on))
		ret = err_set(err, "--post-mortem runs nothing: no script, -m, --report, --dap, --attach or --ranks");
	if (ret == 0 && !a->help && !a->version && !a->instead.post_mortem && !a->instead.attach && !a->attached &&
	    !a->module && !a->dap && a->first >= argc)
		ret = err_set(err, "no program given: name a script, -m and a module, or --attach and a process");
	if (ret == 0 && a->dap && !a->module && a->first >= argc)
		a->first = -1;
	a->script_in = ret == 0 && !a->module && a->first >= 0 && a->first < argc && !strcmp(argv[a->first], "-");
	if (a->script_in && (a->json || a->dap) && a->talk_fd < 0 && !a->address)
		ret = err_set(err, "standard input cannot be both the script and the conversation: use --json=FD");
	if (a->script_in && isatty(0))
		ret = err_set(err,
			      "'-' reads the script from standard input, which is a terminal: redirect a file to it");
	return ret;
}

void args_listen(struct args *a, const char *address, const char *token_file)
{
	static const char dap[] = "dap:";

	a->dap = !strncmp(address, dap, strlen(dap));
	a->json = !a->dap;
	a->listen_only = true;
	a->address = a->dap ? address + strlen(dap) : address;
	a->token_file = token_file;
}

void args_join(struct args *a, const struct rank_join *join)
{
	a->join = join;
	a->norc = true;
}

bool args_launched(const struct args *a)
{
	return a->dap && !a->address && !a->module && a->first < 0;
}

int args_attached(struct args *a, int argc, char **argv, int channel, struct err *err)
{
	int ret = args_parse(a, argc, argv, err);

	a->command = false;
	a->other.channel = channel;
	return ret;
}

void args_forget_lines(struct args *a)
{
	while (a->nlines)
		free(a->lines[--a->nlines]);
}

void args_release(struct args *a)
{
	args_forget_lines(a);
	free(a->lines);
	memset(a, 0, sizeof(*a));
}
