/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: record, which begins, ends and saves a record of what the program does. */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/visible.h"
#include "cmd/cmd_table.h"
#include "engine/recording.h"
#include "engine/session.h"
#include "py/record/recorder.h"

static void say_recorded(struct reply *out)
{
	struct buf what = { 0 };

	recording_what(&what);
	buf_addf(&out->text, "recording %s: rstepi goes back; 'info record' tells how far\n", visible(buf_str(&what)));
	buf_release(&what);
}

static int record_off(struct session *s, struct reply *out, struct err *err)
{
	if (!recording_on())
		return err_set(err, "nothing is recorded: 'record' begins");
	recording_off(s);
	buf_adds(&out->text, "recording has ended\n");
	return 0;
}

/* [-o FILE] and what to record. */
static int record_begin(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf word = { 0 };
	char *file = NULL;
	const char *rest = args;
	int ret = 0;

	if (cmd_word(&rest, &word) && !strcmp(word.s, "-o")) {
		if (cmd_word(&rest, &word))
			file = mem_str(word.s);
		else
			ret = err_set(err, "missing file: 'record -o FILE'");
		args = rest;
	}
	if (ret == 0)
		ret = recording_start(s, args, file, err);
	if (ret == 0)
		say_recorded(out);
	buf_release(&word);
	free(file);
	return ret;
}

static int record_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const char *file;

	if (!strcmp(args, "off"))
		return record_off(s, out, err);
	if (!strncmp(args, "save", 4) && (!args[4] || args[4] == ' ')) {
		file = args + 4 + strspn(args + 4, " ");
		if (!*file)
			return err_set(err, "missing file: 'record save FILE'");
		if (record_save(file, err) < 0)
			return -1;
		buf_addf(&out->text, "the record is in %s\n", visible(file));
		return 0;
	}
	if (s->exited)
		return err_set(err, "the program has ended: 'restart' runs it again");
	return session_present(s, err) < 0 ? -1 : record_begin(s, args, out, err);
}

static void complete_record(struct session *s, const char *args, const char *word, struct val *list)
{
	cmd_candidate(list, "generated", "code that was generated");
	cmd_candidate(list, "graph", "generated code and graphs");
	cmd_candidate(list, "all", "all Python code, which is slow");
	if (word == args) {
		cmd_candidate(list, "off", "ends it");
		cmd_candidate(list, "save", "writes it to a file");
	}
	cmd_complete_location(s, args, word, list);
}

const struct cmd_def cmd_record[] = {
	{ .name = "record",
	  .args = "[-o FILE] [generated|graph|all|FUNC...] | off | save FILE",
	  .group = GROUP_RUN,
	  .flags = CMD_AFTER_EXIT,
	  .help = "record what code does, so that 'rstepi' and others go back",
	  .more = "generated: code that was generated; graph (also without arguments): the code of graphs\n"
		  "too; FUNC: a function's own code and what was generated for it; all: all Python code,\n"
		  "which makes it several times slower.  The last instructions of each thread are kept,\n"
		  "with the values that they made: numbers, first characters, lengths, types.  Nothing of\n"
		  "the program is kept alive.  -o: the record is in this file, also when the process was\n"
		  "killed: 'cdbg --post-mortem FILE' shows it.  off: ends it.  save: writes the record to\n"
		  "a file.  See also 'info record', 'info history', 'info writes', 'info calls',\n"
		  "'info time', 'set record-size'.",
	  .complete = complete_record,
	  .run = record_run },
	{ .name = NULL },
};
