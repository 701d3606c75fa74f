// The door to cjose: keys as JSON, and signatures over JSON (RFC 7515, 7517).
#ifndef HOLDFAST_CJOSE_SHIM_H
#define HOLDFAST_CJOSE_SHIM_H

#include <stdlib.h>
#include <cjose/cjose.h>

/// Whether a key has signed a token in the compact form, by the algorithm that the token's head names. Several threads may ask with one key.
static inline int shim_jose_has_signed(const cjose_jwk_t *key, const char *token, size_t count) {
    cjose_err error;
    cjose_jws_t *jws = cjose_jws_import(token, count, &error);
    if (jws == NULL) return 0;
    int result = cjose_jws_verify(jws, key, &error);
    cjose_jws_release(jws);
    return result;
}

/// Reads a key; NULL for what is none, or none of a kind that the library has.
static inline cjose_jwk_t *shim_jose_key(const char *json, size_t count) {
    cjose_err error;
    return cjose_jwk_import(json, count, &error);
}

/// The bits of a key.
static inline size_t shim_jose_bit_count(const cjose_jwk_t *key) {
    cjose_err error;
    return cjose_jwk_get_keysize(key, &error);
}

#endif
