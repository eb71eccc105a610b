/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC with SHA-256: see hmac.h. */
#include "ui/wire/hmac.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, DIGEST = 32 };

struct sha {
	uint32_t h[8];
	uint64_t bytes;
	unsigned char block[BLOCK];
};

static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void mix(struct sha *s)
{
	uint32_t w[64], v[8], one, two;
	int i;

	for (i = 0; i < 16; i++)
		w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
		       (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
	for (; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] + (rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, s->h, sizeof(v));
	for (i = 0; i < 64; i++) {
		one = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
		      ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
		two = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) +
		      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += one;
		v[0] = one + two;
	}
	for (i = 0; i < 8; i++)
		s->h[i] += v[i];
}

static void sha_begin(struct sha *s)
{
	*s = (struct sha){ .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
				  0x5be0cd19 } };
}

static void sha_add(struct sha *s, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (; n; n--) {
		s->block[s->bytes++ % BLOCK] = *p++;
		if (s->bytes % BLOCK == 0)
			mix(s);
	}
}

static void sha_end(struct sha *s, unsigned char out[DIGEST])
{
	uint64_t bits = s->bytes * 8;
	unsigned char length[8];
	int i;

	for (i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha_add(s, "\x80", 1);
	while (s->bytes % BLOCK != BLOCK - 8)
		sha_add(s, "", 1);
	sha_add(s, length, 8);
	for (i = 0; i < DIGEST; i++)
		out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void hmac_text(const char *key, size_t nkey, const char *s, size_t n, char out[HMAC_TEXT])
{
	unsigned char pad[BLOCK] = { 0 }, digest[DIGEST];
	struct sha sha;
	int i;

	if (nkey > BLOCK) {
		sha_begin(&sha);
		sha_add(&sha, key, nkey);
		sha_end(&sha, pad);
	} else if (nkey) {
		memcpy(pad, key, nkey);
	}
	for (i = 0; i < BLOCK; i++)
		pad[i] ^= 0x36;
	sha_begin(&sha);
	sha_add(&sha, pad, BLOCK);
	sha_add(&sha, s, n);
	sha_end(&sha, digest);
	for (i = 0; i < BLOCK; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	sha_begin(&sha);
	sha_add(&sha, pad, BLOCK);
	sha_add(&sha, digest, DIGEST);
	sha_end(&sha, digest);
	for (i = 0; i < DIGEST; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

bool hmac_same(const char *a, const char *b)
{
	size_t n = strlen(a), i;
	unsigned char differs = 0;

	if (n != strlen(b))
		return false;
	for (i = 0; i < n; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return !differs;
}
