/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rank and its controller let each other in.  The token is proven by both sides, and never sent:

    controller  {"event":"controller","protocol":1,"version":V,"nonce":A}
    rank        {"event":"hello","protocol":1,"version":V,"nonce":B,"proof":P,"rank":..,"world":..,...}
    controller  {"event":"welcome","proof":Q}, or {"event":"refused","error":".."}

   P and Q are HMACs of role and nonces.  After the welcome the rank speaks the machine interface.  Knows no session. */
#ifndef CDBG_HANDSHAKE_H
#define CDBG_HANDSHAKE_H
#include "ui/wire/hmac.h"

enum {
	HANDSHAKE_PROTOCOL = 1, /* of these three, and of what follows */
	HANDSHAKE_MS = 10000,	/* for all of it */
	HANDSHAKE_MAX = 4096,	/* bytes of one of them */
	NONCE_TEXT = 33
};

struct err;

/* 128 random bits as digits.  -1: err. */
int handshake_nonce(char out[NONCE_TEXT], struct err *err);
/* What `role`, "rank" or "controller", shows of the token; nonce: A and B. */
void handshake_proof(const char *token, const char *role, const char *a, const char *b, char out[HMAC_TEXT]);

#endif
