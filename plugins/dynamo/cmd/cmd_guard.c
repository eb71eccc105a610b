/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: guard, which explains guards and changes them: one row of a table for each subcommand. */
#include "cmd/chosen_guards.h"
#include "cmd/dynamo_cmd.h"
#include "code/dynamo_code.h"
#include "code/select.h"
#include "edit/dynamo_edit.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "show/dynamo_show.h"
#include "show/view_guards.h"
#include <stdlib.h>
#include <string.h>

static int guard_list(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return host->rows.reply(&view_guards, args->text, out, err);
}

static int guard_why(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return host->rows.reply(&view_why, args->text, out, err);
}

static int guard_cost(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return host->rows.reply(&view_cost, args->text, out, err);
}

static int guard_eval(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	if (args->text[strspn(args->text, "0123456789")])
		return err_set(err, "invalid guard '%s': expected the number of a guard; 'info guards' lists them",
			       args->text);
	return host->rows.reply(&view_guards, args->text, out, err);
}

/* ---- completion ------------------------------------------------------------------------------------------- */

static bool is_listed(const struct val *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		if (!strcmp(list->u.list.item[i]->u.s, text))
			return true;
	return false;
}

/* The patterns for guards: the kinds of those that were listed so far. */
static void complete_guard(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct entry *e;
	int i;

	(void)s;
	(void)args;
	(void)word;
	for (e = model_entries; e; e = e->next)
		for (i = 0; e->guard.leaves && i < e->guard.leaves->n; i++)
			if (!is_listed(list, e->guard.leaves->guard[i].kind))
				val_pushf(list, "%s\tall guards of this type", e->guard.leaves->guard[i].kind);
}

/* Numbers of guards with their texts: those of the selected frame's function, else of all entries. */
static void complete_number(struct session *s, const char *args, const char *word, struct val *list)
{
	enum { MOST = 5000 };
	struct selected_entries picked;
	const struct guards *all;
	struct buf text = { 0 };
	struct err err;
	int i, k, n = 0;

	complete_guard(s, args, word, list);
	if (select_entries("", &picked, &err) < 0)
		return;
	for (i = 0; i < picked.n; i++) {
		all = guards_of(picked.entry[i]);
		for (k = 0; all && k < all->n && n < MOST; k++, n++) {
			text.len = 0;
			source_text_people(all->guard[k].text, &text);
			val_pushf(list, "%d\t%s", all->guard[k].number, visible(buf_str(&text)));
		}
	}
	buf_release(&text);
	free(picked.entry);
}

/* After the guard: what it expects now, to be changed. */
static void complete_edit(struct session *s, const char *args, const char *word, struct val *list)
{
	const char *words = args;
	struct chosen c = { 0 };
	struct buf now = { 0 };
	struct err err;
	char *number;

	if (word == args) {
		complete_number(s, args, word, list);
		return;
	}
	number = chosen_word(&words);
	if (word > args + 3 && !strncmp(word - 3, "in ", 3))
		edit_complete_entry(s, args, word, list);
	else if (words == word && chosen_guards_word(&c, number, NULL, &err) == 0 && c.n == 1 &&
		 guard_change_may(c.g[0], &err) == 0)
		guard_change_now(c.g[0], &now);
	if (now.len && !strchr(now.s, '\n'))
		val_push(list, val_str(now.s));
	buf_release(&now);
	chosen_release(&c);
	free(number);
}

static const struct cmd_kind kinds[] = {
	{ .name = "GUARD", .complete = complete_number },
	{ .name = "ENTRY", .flags = KIND_WORD, .complete = edit_complete_entry, .check = edit_check_entry },
	{ .name = "FUNC", .complete = select_complete },
	{ .name = "PATTERN", .complete = complete_guard },
	{ .name = NULL },
};

/* ---- the table -------------------------------------------------------------------------------------------- */

#define CHANGES (CMD_NEEDS_STOP | CMD_CHANGES)

static const struct cmd_sub subs[] = {
	{ .name = "list",
	  .args = "[ENTRY|FUNC]",
	  .flags = CMD_AFTER_EXIT,
	  .run = guard_list,
	  .help = "list the guards of entries, like 'info guards'",
	  .more = "Without ENTRY or FUNC: those of the selected frame's function." },
	{ .name = "why",
	  .args = "[ENTRY|FUNC]",
	  .flags = CMD_AFTER_EXIT,
	  .run = guard_why,
	  .help = "show which guards fail, and what to change",
	  .more = "For each entry of the function: every guard that fails, the expected and the\n"
		  "actual value, the nearest entry, and what to change in the program." },
	{ .name = "eval",
	  .args = "GUARD",
	  .flags = CMD_AFTER_EXIT,
	  .run = guard_eval,
	  .help = "evaluate one guard in the selected frame" },
	{ .name = "cost",
	  .args = "[ENTRY|FUNC]",
	  .flags = CMD_AFTER_EXIT,
	  .run = guard_cost,
	  .help = "measure how long guards take",
	  .more = "In nanoseconds: each guard alone, and the whole check of each entry." },
	{ .name = "drop",
	  .args = "[-r] GUARD...|PATTERN [in ENTRY]",
	  .flags = CHANGES,
	  .run = guard_drop,
	  .help = "stop checking guards",
	  .more = "PATTERN matches sources, texts and kinds of guards; see 'info guards'.\n"
		  "-r: also drop the guards on everything that is reached through these values." },
	{ .name = "force",
	  .args = "GUARD...|PATTERN [in ENTRY] [true|false]",
	  .flags = CHANGES,
	  .run = guard_force,
	  .help = "make guards always pass (true, the default), or always fail" },
	{ .name = "add",
	  .args = "ENTRY EXPR",
	  .flags = CHANGES,
	  .run = guard_add,
	  .help = "add a guard: a Python condition over the function's arguments" },
	{ .name = "edit",
	  .args = "GUARD in ENTRY to VALUE | GUARD [to] [VALUE]",
	  .flags = CHANGES,
	  .complete = complete_edit,
	  .run = guard_edit,
	  .help = "change the value that a guard expects",
	  .more = "VALUE is another constant, 'in (2, 3)', a length, a type, a condition on shapes,\n"
		  "or for a tensor 'dtype=torch.float64 size=[None, 3] stride=[3, 1]\n"
		  "requires_grad=True device=\"cpu\"', where None stands for any.\n"
		  "Without VALUE: in $EDITOR." },
	{ .name = "restore",
	  .args = "GUARD...|PATTERN|all [in ENTRY]",
	  .flags = CHANGES,
	  .run = guard_restore,
	  .help = "restore guards as Dynamo made them" },
	{ .name = NULL },
};

const struct cmd_def cmd_guard[] = {
	{ .name = "guard",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_AFTER_EXIT | CMD_CHANGES | CMD_RAW,
	  .subs = subs,
	  .kinds = kinds,
	  .help = "explain, measure and edit the guards of cache entries",
	  .more = "Before it changes a guard, cdbg shows what the guard protects.  Editing never\n"
		  "recompiles.  'undo' reverts an edit." },
	{ .name = NULL },
};
