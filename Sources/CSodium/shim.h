// The door to libsodium: hashes of passwords (https://doc.libsodium.org/password_hashing/default_phf), codes that authenticate, seals.
#ifndef HOLDFAST_CSODIUM_SHIM_H
#define HOLDFAST_CSODIUM_SHIM_H

#include <errno.h>
#include <sodium.h>
#include <sys/random.h>

/// The bytes of a hash's text, with the zero at its end.
enum { shim_password_text_count = crypto_pwhash_STRBYTES };

/// Hashes a password with Argon2id and a random salt, by so many passes over so many bytes of memory. Writes a text that says how.
/// Returns 0, or something else when there was no memory. Any thread, after `sodium_init`.
static inline int shim_password_hash(
    char text[shim_password_text_count], const char *password, size_t count, unsigned passes, size_t byte_count) {
    return crypto_pwhash_str_alg(text, password, count, passes, byte_count, crypto_pwhash_ALG_ARGON2ID13);
}

/// Whether a password is that of a hash's text, which ends with a zero: 1 or 0, and -1 when there was no memory. Takes the same time
/// whatever differs.
static inline int shim_password_is_right(const char *text, const char *password, size_t count) {
    errno = 0;
    if (crypto_pwhash_str_verify(text, password, count) == 0) return 1;
    return errno == ENOMEM ? -1 : 0;
}

/// The keyed BLAKE2b of `count` bytes, 32 bytes (RFC 7693; https://doc.libsodium.org/hashing/generic_hashing); the key has at most 64.
/// Returns 0, or something else for a longer key. Any thread.
static inline int shim_authentication_code(
    const void *key, size_t key_count, const void *bytes, size_t count, unsigned char code[32]) {
    return crypto_generichash(code, 32, bytes, count, key, key_count);
}

/// SipHash-2-4 of `count` bytes, 64 bits (https://doc.libsodium.org/hashing/short-input_hashing), by a key of 16 bytes: nobody tells it
/// from random bits without the key. It can't fail. Any thread.
static inline unsigned long long shim_short_code(const void *key, const void *bytes, size_t count) {
    _Static_assert(crypto_shorthash_KEYBYTES == 16 && crypto_shorthash_BYTES == 8, "SipHash-2-4");
    unsigned long long code;
    crypto_shorthash((unsigned char *)&code, bytes, count, key);
    return code;
}

/// What a seal begins with, a random number, and what it adds with the code at its end.
enum {
    shim_seal_number_count = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    shim_seal_count = shim_seal_number_count + crypto_aead_xchacha20poly1305_ietf_ABYTES
};

/// Seals bytes under a key by XChaCha20-Poly1305 (https://doc.libsodium.org/secret-key_cryptography/aead): nobody reads or changes
/// them without it, and they open together with the same context alone. `sealed` takes `count` and `shim_seal_count` bytes.
/// Returns 0, or something else when the kernel has no random bytes. Any thread.
static inline int shim_seal(
    unsigned char *sealed, const void *bytes, size_t count, const void *context, size_t context_count, const unsigned char key[32]) {
    if (getrandom(sealed, shim_seal_number_count, 0) != shim_seal_number_count) return -1;
    return crypto_aead_xchacha20poly1305_ietf_encrypt(
        sealed + shim_seal_number_count, NULL, (const unsigned char *)bytes, count, (const unsigned char *)context, context_count,
        NULL, sealed, key);
}

/// Opens what `shim_seal` made; `bytes` takes `count` less `shim_seal_count`. Returns 0, or something else for what was not sealed so.
/// Any thread.
static inline int shim_open(
    void *bytes, const unsigned char *sealed, size_t count, const void *context, size_t context_count, const unsigned char key[32]) {
    if (count < shim_seal_count) return -1;
    return crypto_aead_xchacha20poly1305_ietf_decrypt(
        (unsigned char *)bytes, NULL, NULL, sealed + shim_seal_number_count, count - shim_seal_number_count,
        (const unsigned char *)context, context_count, sealed, key);
}

#endif
