/* SPDX-License-Identifier: BSD-3-Clause */
/* One prompt for a distributed job: see ranks_main.h. */
#include "config.h"
#include "ui/ranks/ranks_main.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "ui/args.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/rank.h"
#include "ui/ranks/ranks_cmd.h"
#include "ui/ranks/ranks_json.h"
#include "ui/ranks/ranks_line.h"
#include "ui/ranks/ranks_report.h"
#include "ui/ranks/ranks_show.h"
#include "ui/wire/relay.h"

enum { PATIENCE_MS = 1000, QUIT_MS = 3000 };

static void show(struct buf *out)
{
	if (out->len)
		ranks_line_show(out->s);
	buf_release(out);
}

static void say(const char *text)
{
	struct buf line = { 0 };

	visible_add(&line, text, strlen(text), false);
	buf_addc(&line, '\n');
	show(&line);
}

static const struct controller_ops people = { .say = say };

/* torchrun with this interpreter, without a search for its script. */
static char **launcher(const struct args *a, char **argv, const char *python)
{
	const char *const head[] = { python, "-m", "torch.distributed.run", "--nproc-per-node" };
	size_t n = 0, i;
	char **all;

	while (argv[n])
		n++;
	all = mem_alloc((n + 6) * sizeof(*all));
	for (i = 0; i < 4; i++)
		all[i] = mem_str(head[i]);
	all[4] = mem_fmt("%d", a->ranks.local);
	memcpy(all + 5, argv, (n + 1) * sizeof(*all));
	return all;
}

static const char *python_path(const char *start)
{
	static struct buf path;
	const char *before = getenv("PYTHONPATH");

	buf_reset(&path);
	buf_addf(&path, "%s%s%s", start, before && *before ? ":" : "", before && *before ? before : "");
	return path.s;
}

static void tell_how_to_start(const struct controller *c, const char *path)
{
	const struct listener *l = &c->door.listener;

	dprintf(2, "cdbg: waiting for %d ranks; start the job with\n  CDBG_CONNECT=%s\n", c->world, l->shown);
	if (l->token_file[0])
		dprintf(2, "  CDBG_TOKEN_FILE=%s\n", l->token_file);
	else
		dprintf(2, "  CDBG_TOKEN=%s\n", c->door.token);
	dprintf(2, "  PYTHONPATH=%s\n", path);
}

static int begin(struct controller *c, const struct args *a, char **argv, const char *python, const char *start,
		 struct err *err)
{
	if (a->json && ranks_json_open(c, a, err) < 0)
		return -1;
	if (controller_open(c, a->ranks.listen ? a->ranks.listen : "unix:", a->token_file, err) < 0)
		return -1;
	if (argv[0] && controller_start(c, a->ranks.local ? launcher(a, argv, python) : argv, start, err) < 0)
		return -1;
	if (a->json)
		ranks_json_started(c, python_path(start));
	else if (!argv[0])
		tell_how_to_start(c, python_path(start));
	return 0;
}

static void tell_end(struct controller *c)
{
	struct buf out = { 0 };

	ranks_show_news(c, &out);
	if (c->job.pid)
		buf_addf(&out, "the job has ended with status %d%s\n", job_exit_status(&c->job),
			 c->chosen < 0 ? ", and no rank has joined: " RANKS_ARE : "");
	else
		buf_adds(&out, "all ranks have ended\n");
	show(&out);
}

/* -ex and -x come first. */
static char *next_line(struct controller *c, const struct args *a, size_t *given)
{
	char prompt[40];

	if (*given < a->nlines)
		return mem_str(a->lines[(*given)++]);
	if (a->batch)
		return mem_str("quit");
	if (ranks_cmd_gathers())
		snprintf(prompt, sizeof(prompt), "> ");
	else if (c->chosen >= 0)
		snprintf(prompt, sizeof(prompt), "(rank %d) ", c->chosen);
	else
		snprintf(prompt, sizeof(prompt), "(ranks) ");
	return ranks_line_read(c, prompt);
}

static enum ranks_end serve(struct controller *c, const struct args *a)
{
	enum ranks_end end = RANKS_GO_ON;
	struct buf out = { 0 };
	size_t given = 0;
	bool told = false;
	char *line;

	controller_settle(c, NULL, true);
	while (end == RANKS_GO_ON) {
		ranks_show_news(c, &out);
		show(&out);
		if (controller_over(c) && !told)
			tell_end(c);
		told = controller_over(c);
		line = next_line(c, a, &given);
		if (!line)
			return RANKS_DETACHED;
		end = ranks_cmd_run(c, line, &out);
		show(&out);
		free(line);
	}
	return end;
}

/* Ranks that are left run on; the job's end is the controller's. */
static int detach(struct controller *c)
{
	struct rank *r;
	size_t i;

	for (i = 0; i < c->ranks; i++) {
		r = c->rank[i];
		if (r && rank_live(r))
			rank_send(r, 0, "detach", "rows");
	}
	c->quiet = c->going = true;
	while (c->job.pid && !c->job.ended && !c->interrupted)
		controller_wait(c, -1);
	if (c->interrupted)
		job_kill(&c->job, SIGINT);
	return c->job.ended ? job_exit_status(&c->job) : c->interrupted ? 130 : 0;
}

/* Ranks that run do not hear of it in C code: then the launcher is told to end. */
static int quit(struct controller *c)
{
	struct rank *r;
	size_t i;
	int left = QUIT_MS;

	for (i = 0; i < c->ranks; i++) {
		r = c->rank[i];
		if (r && rank_live(r))
			rank_send(r, 0, "quit", "rows");
	}
	c->quiet = true;
	c->interrupted = false;
	for (; c->job.pid && !controller_over(c) && left > 0 && !c->interrupted; left -= 100)
		controller_wait(c, 100);
	if (c->job.pid && !controller_over(c))
		job_kill(&c->job, SIGTERM);
	return 0;
}

static struct controller *new_controller(const struct args *a)
{
	struct controller *c = mem_alloc(sizeof(*c));

	c->all = true;
	c->patience = PATIENCE_MS;
	c->ops = &people;
	c->world = a->ranks.world;
	signal(SIGPIPE, SIG_IGN);
	return c;
}

/* begun: what began it; err says why it has not. */
static int run(struct controller *c, const struct args *a, int begun, const struct err *err)
{
	int status = 2;

	if (begun < 0) {
		dprintf(2, "cdbg: %s\n", err->text);
	} else {
		if (!a->json)
			ranks_line_open(c);
		status = (a->json ? ranks_json_serve : serve)(c, a) == RANKS_QUIT ? quit(c) : detach(c);
	}
	controller_close(c);
	relay_flush();
	free(c);
	return status;
}

int ranks_main(const struct args *a, char **argv, const char *python, const char *start)
{
	struct err err = { "" };
	struct controller *c;

	if (a->report)
		return ranks_report(a, a->ranks.local ? launcher(a, argv, python) : argv, python, start);
	c = new_controller(a);

	return run(c, a, begin(c, a, argv, python, start, &err), &err);
}

static int adopt(struct controller *c, const struct args *a,
		 int (*join)(struct controller *c, void *arg, struct err *err), void *arg, struct err *err)
{
	if ((a->json && ranks_json_open(c, a, err) < 0) || controller_open(c, "unix:", NULL, err) < 0)
		return -1;
	if (a->json)
		ranks_json_started(c, NULL);
	return join(c, arg, err);
}

int ranks_attached(const struct args *a, int world, int (*join)(struct controller *c, void *arg, struct err *err),
		   void *arg)
{
	struct controller *c = new_controller(a);
	struct err err = { "" };

	c->world = world;
	return run(c, a, adopt(c, a, join, arg, &err), &err);
}
