/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the Debug Adapter Protocol among the bytes of a stream: headers, of which Content-Length counts, an empty
   line, so many bytes of JSON.  Knows nothing else of the protocol. */
#ifndef CDBG_DAP_FRAMING_H
#define CDBG_DAP_FRAMING_H
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"

enum { DAP_MESSAGE_MAX = 16 << 20 };

/* All zero at first, and after dap_framing_forget(). */
struct dap_framing {
	struct buf line; /* of the headers: one that has not ended */
	struct buf body; /* of the message, as far as it has come */
	size_t length;	 /* of the message */
	bool known;	 /* ... that a header has told */
	bool inside;	 /* the headers have ended */
	bool skipped;	 /* it is too long: its bytes are thrown away, length counts down */
};

struct dap_framing_sink {
	void (*message)(void *arg, const char *s, size_t n); /* a whole one; s[n] is a NUL */
	void (*broken)(void *arg, const char *why); /* something was left out; the next message is looked for */
	void *arg;
};

void dap_framing_take(struct dap_framing *f, const char *s, size_t n, const struct dap_framing_sink *to);
void dap_framing_forget(struct dap_framing *f);
/* Adds the beginning of a message, as it came; it stays. */
void dap_framing_rest(const struct dap_framing *f, struct buf *out);
/* Adds the headers of a message of so many bytes. */
void dap_framing_head(struct buf *out, size_t n);

#endif
