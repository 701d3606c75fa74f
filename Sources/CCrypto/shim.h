// The door to OpenSSL's libcrypto: hashes, codes that authenticate, comparison in constant time.
#ifndef HOLDFAST_CCRYPTO_SHIM_H
#define HOLDFAST_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

/// The SHA-256 of `count` bytes (https://www.openssl.org/docs/man3.0/man3/EVP_Q_digest.html).
/// Returns 1, or 0 when the library failed. Any thread.
static inline int shim_sha256(const void *bytes, size_t count, unsigned char digest[32]) {
    size_t written = 0;
    return EVP_Q_digest(NULL, "SHA256", NULL, bytes, count, digest, &written) == 1 && written == 32;
}

/// The HMAC-SHA-256 of `count` bytes under a key (RFC 2104; https://www.openssl.org/docs/man3.0/man3/HMAC.html).
/// Returns 1, or 0 when the library failed. Any thread.
static inline int shim_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, unsigned char code[32]) {
    unsigned int written = 0;
    return key_count <= 1024
        && HMAC(EVP_sha256(), key, (int)key_count, bytes, count, code, &written) != NULL && written == 32;
}

/// Whether two runs of `count` bytes are the same; takes the same time wherever they differ.
static inline int shim_are_equal(const void *left, const void *right, size_t count) {
    return CRYPTO_memcmp(left, right, count) == 0;
}

/// Fills memory with the kernel's random bytes (getrandom(2)); at most 256, which it never cuts short.
static inline int shim_random(void *bytes, size_t count) {
    return count <= 256 && getrandom(bytes, count, 0) == (ssize_t)count;
}

#endif
