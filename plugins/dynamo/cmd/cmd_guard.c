/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: guard, which asks about guards and changes them: one row of a table a subcommand. */
#include "cmd/cmd_guard.h"
#include "model/entry.h"
#include "code/select.h"
#include "guards/guard_model.h"
#include "edit/edited_entry.h"
#include "show/view_cost.h"
#include "show/view_guards.h"
#include "show/view_why.h"
#include "cmd/cmd_guard_edit.h"
#include <string.h>

static int run_list(const char *args, struct reply *out, struct err *err)
{
	return host->reply(&view_guards, args, out, err);
}

static int run_why(const char *args, struct reply *out, struct err *err)
{
	return host->reply(&view_why, args, out, err);
}

static int run_cost(const char *args, struct reply *out, struct err *err)
{
	return host->reply(&view_cost, args, out, err);
}

static int run_eval(const char *args, struct reply *out, struct err *err)
{
	if (!*args || args[strspn(args, "0123456789")])
		return err_set(err, "'guard eval' wants the number of a guard: 'info guards' lists them");
	return host->reply(&view_guards, args, out, err);
}

static const struct {
	const char *name, *args, *help;
	int (*run)(const char *args, struct reply *out, struct err *err);
	bool changes;                        /* what is cached: in a program that is stopped */
} subs[] = {
	{ "list", "[ENTRY|FUNC]", "the guards, as info guards", run_list },
	{ "why", "[ENTRY|FUNC]", "every failing guard, and what to change", run_why },
	{ "eval", "GUARD", "does this one hold in the selected frame?", run_eval },
	{ "cost", "[ENTRY|FUNC]", "what checking them takes", run_cost },
	{ "drop", "[-r] GUARD ...|PATTERN [in ENTRY]", "it is asked no more", guard_drop, true },
	{ "force", "GUARD ... [true|false]", "it always holds, or never", guard_force, true },
	{ "add", "ENTRY EXPR", "one more, a condition in Python", guard_add, true },
	{ "edit", "GUARD VALUE", "it wants another value", guard_edit, true },
	{ "restore", "GUARD ...|all", "as Dynamo made them", guard_restore, true },
};
enum { NSUBS = sizeof(subs) / sizeof(*subs) };

static int refuse(const char *name, size_t n, struct err *err)
{
	struct buf all = { 0 };
	int i;

	for (i = 0; i < NSUBS; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", subs[i].name);
	if (n)
		err_set(err, "no 'guard %.*s': it is one of %s", (int)n, name, all.s);
	else
		err_set(err, "'guard' wants one of %s", all.s);
	buf_release(&all);
	return -1;
}

static int is_stopped(struct err *err)
{
	struct py_frame *f;
	struct code *c;
	int index;

	if (host->selected(&f, &c, &index, err) < 0)
		return -1;
	if (c)
		Py_DECREF((PyObject *)c->co);
	Py_XDECREF((PyObject *)f);
	return 0;
}

static int run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	size_t n = strcspn(args, " \t");
	const char *rest = args + n + strspn(args + n, " \t");
	int i, found = -1;

	(void)s;
	for (i = 0; n && i < NSUBS; i++)
		if (!strncmp(subs[i].name, args, n)) {
			if (found >= 0 && strlen(subs[i].name) != n)
				return err_set(err, "'guard %.*s' is ambiguous: %s, %s", (int)n, args,
					       subs[found].name, subs[i].name);
			found = i;
		}
	if (found < 0)
		return refuse(args, n, err);
	return subs[found].changes && is_stopped(err) < 0 ? -1 : subs[found].run(rest, out, err);
}

static bool listed(const struct val *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		if (!strcmp(list->u.list.item[i]->u.s, text))
			return true;
	return false;
}

/* What stands for guards: their kinds, as far as guards were listed, and words of that subcommand. */
static void complete_guards(const char *name, const char *rest, struct val *list)
{
	const struct entry *e;
	int i;

	if (strstr(rest, " in ")) {
		edit_complete(list);
		return;
	}
	for (e = model_entries; e; e = e->next)
		for (i = 0; e->guard.leaves && i < e->guard.leaves->n; i++)
			if (!listed(list, e->guard.leaves->guard[i].kind))
				val_push(list, val_str(e->guard.leaves->guard[i].kind));
	val_push(list, val_str(!strcmp(name, "restore") ? "all" : "in"));
	if (!strcmp(name, "drop"))
		val_push(list, val_str("-r"));
	if (!strcmp(name, "force")) {
		val_push(list, val_str("true"));
		val_push(list, val_str("false"));
	}
}

static void complete(struct session *s, const char *args, const char *word, struct val *list)
{
	size_t n = strcspn(args, " \t");
	const char *rest = args + n + strspn(args + n, " \t"), *name = NULL;
	int i;

	for (i = 0; !args[n] && i < NSUBS; i++)
		val_push(list, val_str(subs[i].name));
	for (i = 0; args[n] && !name && i < NSUBS; i++)
		if (!strncmp(subs[i].name, args, n))
			name = subs[i].name;
	if (!name || (word > args && word[-1] != ' '))       /* or inside of a source, an expression */
		return;
	if (!strcmp(name, "list") || !strcmp(name, "why") || !strcmp(name, "cost"))
		select_complete(s, rest, word, list);
	else if (!strcmp(name, "add") && !strchr(rest, ' '))
		edit_complete(list);
	else if (strcmp(name, "add") && strcmp(name, "eval"))
		complete_guards(name, rest, list);
}

const struct cmd_def cmd_guard[] = {
	{ .name = "guard", .args = "list|why|eval|cost|drop|force|add|edit|restore [ENTRY|FUNC|GUARD]",
	  .group = GROUP_DYNAMO, .flags = CMD_AFTER_EXIT | CMD_RAW, .complete = complete, .run = run,
	  .help = "guards of entries: why one fails, what it costs; edit them",
	  .more = "guard why: for each entry of the function every guard that fails, what it\n"
		  "expects and what there is, which entry is nearest, and what to change.\n"
		  "guard eval GUARD: that one in the selected frame.\n"
		  "guard cost: nanoseconds of each guard by itself, and of an entry's whole check.\n"
		  "guard list: as info guards.\n"
		  "Without ENTRY: those of the selected frame's function.\n"
		  "guard drop GUARD...|PATTERN [in ENTRY]: asked no more; with -r first, nor is all\n"
		  "that hangs on its value.  PATTERN stands for sources, texts and kinds.\n"
		  "guard force GUARD... [true|false]: it always holds, or never.\n"
		  "guard add ENTRY EXPR: a condition in Python over the function's arguments.\n"
		  "guard edit GUARD [VALUE]: another constant, 'in (2, 3)', a length, a type, a condition\n"
		  "on shapes, or of a tensor 'dtype=torch.float64 size=[None, 3] stride=[3, 1]\n"
		  "requires_grad=True device=\"cpu\"': None stands for any; no VALUE: in $EDITOR.\n"
		  "guard restore GUARD...|all: as Dynamo made them.\n"
		  "What changes guards shows first what is at stake; nothing compiles for it." },
	{ .name = NULL }
};
