// The door to OpenSSL's libcrypto: hashes, comparison in constant time.
#ifndef HOLDFAST_CCRYPTO_SHIM_H
#define HOLDFAST_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

/// The SHA-256 of `count` bytes (https://www.openssl.org/docs/man3.0/man3/EVP_DigestInit.html). The algorithm is looked up by
/// its name once, which costs as much as a short hash. Returns 1, or 0 when the library failed. Any thread.
static inline int shim_sha256(const void *bytes, size_t count, void *digest) {
    static EVP_MD *algorithm = NULL;
    EVP_MD *known = __atomic_load_n(&algorithm, __ATOMIC_ACQUIRE);
    if (!known) {
        EVP_MD *found = EVP_MD_fetch(NULL, "SHA256", NULL);
        if (!found) return 0;
        if (__atomic_compare_exchange_n(&algorithm, &known, found, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) known = found;
        else EVP_MD_free(found);
    }
    return EVP_Digest(bytes, count, digest, NULL, known, NULL) == 1;
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
