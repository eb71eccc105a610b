/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of the machine interface taken apart: see request.h. */
#include "ui/json/request.h"
#include <stdlib.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "ui/json/json_read.h"
#include "ui/json/val_json.h"

/* The id is repeated as it came. */
static void take_object(struct request *rq, const struct val *v)
{
	const struct val *id = val_get(v, "id"), *command = val_get(v, "command");
	struct buf b = { 0 };

	if (id) {
		json_add_val(&b, id);
		rq->id = buf_detach(&b);
	}
	rq->text = !strcmp(val_text(v, "as"), "text");
	rq->lines = !strcmp(val_text(v, "as"), "lines");
	if (!command || command->type != VAL_STR) {
		rq->fault = mem_str("expected an object with a text \"command\"");
		return;
	}
	free(rq->line);
	rq->line = cmd_line(command->u.s, strlen(command->u.s));
}

void request_read(struct request *rq, char *text)
{
	struct err err = { "" };
	struct val *v;

	*rq = (struct request){ .line = text };
	if (text[0] != '{') /* no command begins so */
		return;
	v = json_read(text, strlen(text), false, &err);
	if (v)
		take_object(rq, v);
	else
		rq->fault = mem_str(err.text);
	val_free(v);
}

void request_release(struct request *rq)
{
	free(rq->line);
	free(rq->id);
	free(rq->fault);
	*rq = (struct request){ .line = NULL };
}
