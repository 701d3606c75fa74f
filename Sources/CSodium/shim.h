// The door to libsodium: hashes of passwords (https://doc.libsodium.org/password_hashing/default_phf), codes that authenticate.
#ifndef HOLDFAST_CSODIUM_SHIM_H
#define HOLDFAST_CSODIUM_SHIM_H

#include <sodium.h>

/// The bytes of a hash's text, with the zero at its end.
enum { shim_password_text_count = crypto_pwhash_STRBYTES };

/// Hashes a password with Argon2id and a random salt, by so many passes over so many bytes of memory. Writes a text that says how.
/// Returns 0, or something else when there was no memory. Any thread, after `sodium_init`.
static inline int shim_password_hash(
    char text[shim_password_text_count], const char *password, size_t count, unsigned passes, size_t byte_count) {
    return crypto_pwhash_str_alg(text, password, count, passes, byte_count, crypto_pwhash_ALG_ARGON2ID13);
}

/// Whether a password is that of a hash's text, which ends with a zero. Takes the same time whatever differs.
static inline int shim_password_is_right(const char *text, const char *password, size_t count) {
    return crypto_pwhash_str_verify(text, password, count) == 0;
}

/// The keyed BLAKE2b of `count` bytes, 32 bytes (RFC 7693; https://doc.libsodium.org/hashing/generic_hashing); the key has at most 64.
/// Returns 0, or something else for a longer key. Any thread.
static inline int shim_authentication_code(
    const void *key, size_t key_count, const void *bytes, size_t count, unsigned char code[32]) {
    return crypto_generichash(code, 32, bytes, count, key, key_count);
}

#endif
