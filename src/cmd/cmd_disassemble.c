/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: disassemble, code as a person reads it. */
#include <string.h>
#include "base/err.h"
#include "cmd/table.h"
#include "engine/plug.h"
#include "view/fold.h"

static struct py_code *traced_code(struct session *s, const struct target *t)
{
	struct code_info info;

	return plug_code(s, t->co, &info) > 0 && info.kind == KIND_GENERATED ? info.original : NULL;
}

static int show(struct session *s, const char *words, bool all, bool beside, struct reply *out, struct err *err)
{
	struct target t;
	struct fold f;
	struct py_code *original;
	int ret = -1;

	if (target_find(s, words, &t, err) < 0)
		return -1;
	original = beside ? traced_code(s, &t) : NULL;
	if (beside && !original) {
		err_set(err, "'%s' is not made from other code: 'disassemble' alone shows it", code_name(t.code));
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
			ret = err_set(err, "'%s' is not known: 'disassemble [-a] [-o] [FUNC|ENTRY]'", word.s);
	}
	buf_release(&word);
	return ret < 0 ? -1 : show(s, args, all, beside, out, err);
}

const struct cmd_def cmd_disassemble[] = {
	{ .name = "disassemble", .alias = "disas dis", .args = "[-a] [-o] [FUNC|ENTRY]", .group = GROUP_LOOK,
	  .flags = CMD_AFTER_EXIT,
	  .help = "the bytecode of the selected frame, of a function or of an entry",
	  .more = "Generated code is folded: each region that need not be read is one row with\n"
		  "its offsets, the lines it stands for and what it does.  -a: every\n"
		  "instruction.  -o: beside the original bytecode, with the place that each\n"
		  "resume function goes on from.  A function shows the newest code generated\n"
		  "from it. => marks the next instruction, B a breakpoint.",
	  .complete = cmd_complete_location, .run = cmd_disassemble_run },
	{ .name = NULL }
};
