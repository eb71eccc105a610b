/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of subcommands, parsed by descriptions of every form: the first byte chooses one. */
#include "fuzz.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/usage.h"

static const char *const descriptions[] = {
	NULL,
	"FILE",
	"ENTRY FILE",
	"ENTRY EXPR",
	"[N]",
	"[ENTRY|FUNC]",
	"NAME for FUNC|ENTRY",
	"[-python] ENTRY",
	"ENTRY [with NAME=EXPR...]",
	"[-a] [NAME|ENTRY|FUNC] [STAGE]",
	"[-r] GUARD...|PATTERN [in ENTRY]",
	"GUARD...|PATTERN|all [in ENTRY]",
	"GUARD...|PATTERN [in ENTRY] [true|false]",
	"GUARD in ENTRY to VALUE | GUARD [to] [VALUE]",
	"[ENTRY]*OFFSET = INSTR",
	"[ENTRY]*OFFSET breakpoint|INSTR;...",
	"[until nan] [-n N] [NAME|ENTRY|FUNC] [with NAME=EXPR...]",
	"[-backward] [NAME|ENTRY|FUNC] [with NAME=EXPR...]",
};
enum { NDESCRIPTIONS = sizeof(descriptions) / sizeof(*descriptions) };

static const struct cmd_kind kinds[] = {
	{ .name = "ENTRY", .flags = KIND_WORD },
	{ .name = "NAME", .flags = KIND_WORD },
	{ .name = "STAGE", .flags = KIND_WORD },
	{ .name = "GUARD", .flags = KIND_WORD },
	{ .name = "EXPR", .flags = KIND_TEXT },
	{ .name = "VALUE", .flags = KIND_TEXT },
	{ .name = "N", .flags = KIND_WORD },
	{ .name = "FUNC", .flags = KIND_WORD },
	{ .name = NULL },
};

static void each(void *arg, const char *word, size_t n, const struct cmd_kind *kind)
{
	(void)arg;
	(void)kind;
	HOLDS(n && memchr(word, '\0', n) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct usage u = { .before = "entry", .name = "work", .core = kinds };
	struct cmd_args args = { .n = 0 };
	struct err err = { "" };
	struct buf spaced = { 0 };
	char *text;
	int i;

	u.args = descriptions[fuzz_byte(&data, &size) % NDESCRIPTIONS];
	text = fuzz_text(data, size);
	if (usage_parse(&u, text, &args, &err) < 0) {
		HOLDS(*err.text);
	} else {
		HOLDS(args.n >= 0 && args.n <= CMD_ARGS_MAX && args.text);
		for (i = 0; i < args.n; i++)
			HOLDS(args.item[i].name && args.item[i].len && args.item[i].text);
		usage_release(&args);
	}
	buf_addf(&spaced, "%s ", text);
	usage_next(&u, *text ? buf_str(&spaced) : "", each, NULL);
	buf_release(&spaced);
	free(text);
	return 0;
}
