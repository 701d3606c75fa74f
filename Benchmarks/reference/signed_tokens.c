/* JSON Web Tokens of keys made here, and what OpenSSL takes to verify one of each.
 *
 *     signed_tokens DIR COUNT ISSUER AUDIENCE
 *
 * Writes DIR/keys.json (a JWK set of an RSA key of 2,048 bits, `rs`, and of a P-256 key, `es`) and DIR/rs.txt and
 * DIR/es.txt, COUNT tokens each, a line a token: the number of its line, from 0, is the `sub`'s, behind an `n`. Prints a line of
 * JSON: the CPU that a verification with a key that has been read takes, in microseconds. For each line of its input it measures
 * that again, and prints it.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIGNATURE_MAX = 512, TEXT_MAX = 2048, COORDINATE = 32, VERIFICATIONS = 2000 };

static void check(int is_good, const char *what)
{
    if (is_good) return;
    fprintf(stderr, "signed_tokens: %s failed\n", what);
    exit(1);
}

/* Base64 for URLs, without padding; the end of what was written. */
static char *base64url(char *out, const void *bytes, size_t count)
{
    int written = EVP_EncodeBlock((unsigned char *)out, bytes, (int)count);
    while (written > 0 && out[written - 1] == '=') written--;
    for (int index = 0; index < written; index++)
        out[index] = out[index] == '+' ? '-' : out[index] == '/' ? '_' : out[index];
    out[written] = 0;
    return out + written;
}

static void member(FILE *file, const char *name, const BIGNUM *number, int width)
{
    unsigned char bytes[SIGNATURE_MAX];
    char text[TEXT_MAX];
    int count = width ? width : BN_num_bytes(number);
    check(BN_bn2binpad(number, bytes, count) == count, "BN_bn2binpad");
    base64url(text, bytes, (size_t)count);
    fprintf(file, ",\"%s\":\"%s\"", name, text);
}

static BIGNUM *parameter(EVP_PKEY *key, const char *name)
{
    BIGNUM *number = NULL;
    check(EVP_PKEY_get_bn_param(key, name, &number), name);
    return number;
}

static void write_keys(const char *directory, EVP_PKEY *rsa, EVP_PKEY *ec)
{
    char path[TEXT_MAX];
    snprintf(path, sizeof path, "%s/keys.json", directory);
    FILE *file = fopen(path, "w");
    check(file != NULL, path);
    fprintf(file, "{\"keys\":[{\"kty\":\"RSA\",\"alg\":\"RS256\",\"use\":\"sig\",\"kid\":\"rs\"");
    member(file, "n", parameter(rsa, OSSL_PKEY_PARAM_RSA_N), 0);
    member(file, "e", parameter(rsa, OSSL_PKEY_PARAM_RSA_E), 0);
    fprintf(file, "},{\"kty\":\"EC\",\"crv\":\"P-256\",\"alg\":\"ES256\",\"use\":\"sig\",\"kid\":\"es\"");
    member(file, "x", parameter(ec, OSSL_PKEY_PARAM_EC_PUB_X), COORDINATE);
    member(file, "y", parameter(ec, OSSL_PKEY_PARAM_EC_PUB_Y), COORDINATE);
    fprintf(file, "}]}\n");
    check(fclose(file) == 0, path);
}

static size_t sign(EVP_PKEY *key, const char *text, unsigned char *signature)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t count = SIGNATURE_MAX;
    check(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1
              && EVP_DigestSign(context, signature, &count, (const unsigned char *)text, strlen(text)) == 1,
          "EVP_DigestSign");
    EVP_MD_CTX_free(context);
    return count;
}

/* ES256 joins the two numbers of a signature, of 32 bytes each (RFC 7518, 3.4). */
static size_t joined(const unsigned char *signature, size_t count, unsigned char *out)
{
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &signature, (long)count);
    check(pair != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(pair), out, COORDINATE) == COORDINATE
              && BN_bn2binpad(ECDSA_SIG_get0_s(pair), out + COORDINATE, COORDINATE) == COORDINATE,
          "a signature's numbers");
    ECDSA_SIG_free(pair);
    return 2 * COORDINATE;
}

static double cpu_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

/* A key, and what it has signed last. */
struct signed_text {
    EVP_PKEY *key;
    char text[2 * TEXT_MAX];
    unsigned char signature[SIGNATURE_MAX];
    size_t count;
};

/* Writes the tokens of a key. */
static void write_tokens(struct signed_text *last, const char *name, const char *algorithm, char **arguments)
{
    char path[TEXT_MAX], head[TEXT_MAX], claims[TEXT_MAX], line[4 * TEXT_MAX];
    unsigned char raw[SIGNATURE_MAX];
    snprintf(path, sizeof path, "%s/%s.txt", arguments[0], name);
    FILE *file = fopen(path, "w");
    check(file != NULL, path);
    snprintf(head, sizeof head, "{\"alg\":\"%s\",\"typ\":\"JWT\",\"kid\":\"%s\"}", algorithm, name);
    long now = (long)time(NULL), tokens = atol(arguments[1]);
    for (long number = 0; number < tokens; number++) {
        snprintf(claims, sizeof claims, "{\"sub\":\"n%ld\",\"iss\":\"%s\",\"aud\":\"%s\",\"iat\":%ld,\"exp\":%ld}", number,
                 arguments[2], arguments[3], now, now + 86400);
        char *end = base64url(last->text, head, strlen(head));
        *end++ = '.';
        base64url(end, claims, strlen(claims));
        last->count = sign(last->key, last->text, last->signature);
        int is_pair = EVP_PKEY_is_a(last->key, "EC");
        base64url(line, is_pair ? raw : last->signature,
                  is_pair ? joined(last->signature, last->count, raw) : last->count);
        fprintf(file, "%s.%s\n", last->text, line);
    }
    check(fclose(file) == 0, path);
}

/* The CPU of a verification. */
static double verification_us(const struct signed_text *last)
{
    double before = cpu_us();
    for (int number = 0; number < VERIFICATIONS; number++) {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        check(EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, last->key) == 1
                  && EVP_DigestVerify(context, last->signature, last->count, (const unsigned char *)last->text,
                                      strlen(last->text)) == 1,
              "EVP_DigestVerify");
        EVP_MD_CTX_free(context);
    }
    return (cpu_us() - before) / VERIFICATIONS;
}

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: signed_tokens DIR COUNT ISSUER AUDIENCE\n");
        return 64;
    }
    static struct signed_text rsa, ec;
    rsa.key = EVP_RSA_gen(2048);
    ec.key = EVP_EC_gen("P-256");
    check(rsa.key != NULL && ec.key != NULL, "making keys");
    write_keys(arguments[1], rsa.key, ec.key);
    write_tokens(&rsa, "rs", "RS256", arguments + 1);
    write_tokens(&ec, "es", "ES256", arguments + 1);
    char line[TEXT_MAX];
    do {
        printf("{\"rs256_us\":%.2f,\"es256_us\":%.2f}\n", verification_us(&rsa), verification_us(&ec));
        fflush(stdout);
    } while (fgets(line, sizeof line, stdin) != NULL);
    return 0;
}
