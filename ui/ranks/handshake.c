/* SPDX-License-Identifier: BSD-3-Clause */
/* What both sides of a handshake compute: see handshake.h. */
#include "ui/ranks/handshake.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include "base/buf.h"
#include "base/err.h"

int handshake_nonce(char out[NONCE_TEXT], struct err *err)
{
	unsigned char raw[NONCE_TEXT / 2];
	size_t i;

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return err_set(err, "cannot make random numbers: %s", strerror(errno));
	for (i = 0; i < sizeof(raw); i++)
		snprintf(out + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

void handshake_proof(const char *token, const char *role, const char *a, const char *b, char out[HMAC_TEXT])
{
	struct buf text = { 0 };

	buf_addf(&text, "cdbg %s %s %s", role, a, b);
	hmac_text(token, strlen(token), buf_str(&text), text.len, out);
	buf_release(&text);
}
