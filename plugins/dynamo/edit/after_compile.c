/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of a cache in which Dynamo puts an entry now: made once the compile has ended.  Dynamo keeps a pointer into
   the cache while it compiles, so the change waits for the next stop outside of it.  Applies none itself. */
#include "edit/dynamo_edit.h"
#include "model/func.h"
#include "model/qualname.h"

bool after_compile_waits(const struct func *f)
{
	return f->co && exclusive_compiles(f->co);
}

int after_compile_run(const struct func *f, const char *line, struct buf *out, struct err *err)
{
	int number = host->stops.run_at((struct py_code *)f->co, line, err);

	if (number < 0)
		return -1;
	buf_addf(out, "Dynamo is compiling %s: 'continue' runs '%s' where the compiled code begins, breakpoint %d\n",
		 qualname_func((struct func *)f), line, number);
	return 0;
}
