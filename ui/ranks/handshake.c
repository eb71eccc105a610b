/* SPDX-License-Identifier: BSD-3-Clause */
/* What both sides of a handshake compute: see handshake.h. */
#include "ui/ranks/handshake.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
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

/* Of a Unix socket the TCP options fail, which changes nothing. */
void handshake_keep(int fd)
{
	const int on = 1, idle = 10, interval = 5, count = 4, limit = 30000;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof(limit));
}
