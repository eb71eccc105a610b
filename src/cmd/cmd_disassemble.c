/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: disassemble, code for people to read. */
#include <string.h>
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/plug.h"
#include "view/fold.h"
#include "view/recorded_code.h"

static struct py_code *traced_code(struct session *s, const struct target *t)
{
	struct code_info info;

	return plug_code(s, t->co, &info) > 0 && info.kind == KIND_GENERATED ? info.original : NULL;
}

static int disassemble_show(struct session *s, const char *words, bool all, bool beside, struct reply *out,
			    struct err *err)
{
	struct target t;
	struct fold f;
	struct py_code *original;
	struct recorded_code r;
	int ret = recorded_code_find(s, words, &r, err);

	if (ret > 0)
		recorded_code_text(&r, &out->text);
	if (ret)
		return ret < 0 ? -1 : 0;
	ret = -1;
	if (target_find(s, words, &t, err) < 0)
		return -1;
	original = beside ? traced_code(s, &t) : NULL;
	if (beside && !original) {
		err_set(err, "'%s' is not generated from other code: use 'disassemble' without -o", code_name(t.code));
		goto out;
	}
	buf_addf(&out->text, "%s\n", t.title);
	fold_fill(&f, s, &t, all);
	if (beside) {
		buf_addf(&out->text, "on the right: original bytecode of %s\n", code_name(code_get(original)));
		fold_beside(&f, s, &t, code_get(original), &out->text);
	} else {
		fold_text(&f, &out->text);
	}
	fold_release(&f);
	ret = 0;
out:
	target_release(&t);
	return ret;
}

static int cmd_disassemble_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	bool all = false, beside = false;
	struct buf word = { 0 };
	int ret = 0;

	while (*args == '-' && ret == 0) {
		cmd_word(&args, &word);
		if (!strcmp(word.s, "-a"))
			all = true;
		else if (!strcmp(word.s, "-o"))
			beside = true;
		else if (!strcmp(word.s, "-ao") || !strcmp(word.s, "-oa"))
			all = beside = true;
		else
			ret = err_set(err, "invalid arguments '%s'; usage: disassemble [-a] [-o] [FUNC|ENTRY]", word.s);
	}
	buf_release(&word);
	return ret < 0 ? -1 : disassemble_show(s, args, all, beside, out, err);
}

const struct cmd_def cmd_disassemble[] = {
	{ .name = "disassemble",
	  .alias = "disas dis",
	  .args = "[-a] [-o] [FUNC|ENTRY]",
	  .group = GROUP_LOOK,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .help = "disassemble the code of the selected frame, a function or an entry",
	  .more = "Generated code is folded: a region that need not be read is one row, with its\n"
		  "offsets, its source lines and what it does.  -a: show every instruction.  -o: show\n"
		  "the original bytecode next to it, with the place where each resume function\n"
		  "continues.  For a function: the newest code generated from it.  => marks the next\n"
		  "instruction, B a breakpoint.",
	  .complete = cmd_complete_location,
	  .run = cmd_disassemble_run },
	{ .name = NULL },
};
