// The door to OpenSSL's libcrypto: hashes, seals, comparison in constant time.
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

/// What a seal adds: a random number at the beginning, and a code at the end.
enum { shim_seal_count = 12 + 16 };

/// Seals or opens bytes by AES-256-GCM (https://www.openssl.org/docs/man3.0/man3/EVP_EncryptInit.html).
static inline int shim_gcm(
    int seals, const unsigned char number[12], unsigned char code[16], const void *from, void *to, size_t count,
    const void *context, size_t context_count, const unsigned char key[32]) {
    int written = 0;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int is_done = cipher && EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, number, seals) == 1
        && EVP_CipherUpdate(cipher, NULL, &written, (const unsigned char *)context, (int)context_count) == 1
        && EVP_CipherUpdate(cipher, (unsigned char *)to, &written, (const unsigned char *)from, (int)count) == 1
        && (seals || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, 16, code) == 1)
        && EVP_CipherFinal_ex(cipher, (unsigned char *)to + written, &written) == 1
        && (!seals || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, 16, code) == 1);
    EVP_CIPHER_CTX_free(cipher);
    return is_done;
}

/// Seals bytes under a key, so that nobody reads or changes them without it: they open together with the same context alone.
/// `sealed` takes `count` and `shim_seal_count` bytes; both counts are at most 4,096. Returns 1, or 0 when the library failed.
/// Any thread.
static inline int shim_seal(
    unsigned char *sealed, const void *bytes, size_t count, const void *context, size_t context_count, const unsigned char key[32]) {
    return count <= 4096 && context_count <= 4096 && shim_random(sealed, 12)
        && shim_gcm(1, sealed, sealed + 12 + count, bytes, sealed + 12, count, context, context_count, key);
}

/// Opens what `shim_seal` made; `bytes` takes `count` less `shim_seal_count`. Returns 1, or 0 for what was not sealed so. Any thread.
static inline int shim_open(
    void *bytes, const unsigned char *sealed, size_t count, const void *context, size_t context_count, const unsigned char key[32]) {
    unsigned char code[16];
    if (count < shim_seal_count || count > 4096 || context_count > 4096) return 0;
    for (int index = 0; index < 16; index++) code[index] = sealed[count - 16 + index];
    return shim_gcm(0, sealed, code, sealed + 12, bytes, count - shim_seal_count, context, context_count, key);
}

#endif
