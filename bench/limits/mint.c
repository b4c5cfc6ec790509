/* Makes requests ahead of a measurement, so that minting client secrets costs the generator nothing then.

   mint KEY.pem KEYID TEAMID CLIENTID AUDIENCE PATH < fields > requests

   Each line of standard input is the rest of a form ("grant_type=…&code=…"). For each, one record goes out:
   the length of the request in decimal, a newline, and the whole HTTP request, whose client secret (ES256,
   an `exp` of its own) was never seen before, from a client address of its own. */

#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIFE_SECONDS 3600

static size_t base64url(char *out, const unsigned char *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char *next = out;
    for (size_t index = 0; index < count; index += 3) {
        unsigned left = count - index > 3 ? 3 : (unsigned)(count - index);
        unsigned group = bytes[index] << 16;
        if (left > 1) group |= bytes[index + 1] << 8;
        if (left > 2) group |= bytes[index + 2];
        for (unsigned digit = 0; digit <= left; digit++) *next++ = digits[group >> (18 - 6 * digit) & 63];
    }
    *next = 0;
    return (size_t)(next - out);
}

/* JOSE wants r and s side by side, 32 bytes each; OpenSSL gives them in DER. */
static int sign(unsigned char raw[64], EVP_PKEY *key, const char *text, size_t length) {
    unsigned char der[128];
    size_t der_length = sizeof der;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
               EVP_DigestSign(context, der, &der_length, (const unsigned char *)text, length) == 1;
    EVP_MD_CTX_free(context);
    const unsigned char *start = der;
    ECDSA_SIG *signature = done ? d2i_ECDSA_SIG(NULL, &start, (long)der_length) : NULL;
    if (!signature) return 0;
    BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32);
    ECDSA_SIG_free(signature);
    return 1;
}

int main(int count, char **arguments) {
    if (count != 7) return fprintf(stderr, "usage: mint KEY.pem KEYID TEAMID CLIENTID AUDIENCE PATH\n"), 2;
    const char *key_id = arguments[2], *team = arguments[3], *client = arguments[4];
    const char *audience = arguments[5], *path = arguments[6];
    FILE *file = fopen(arguments[1], "r");
    EVP_PKEY *key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;
    if (!key) return fprintf(stderr, "mint: no private key in %s\n", arguments[1]), 1;

    char fields[4096], json[1024], secret[2048], body[8192], request[12288];
    unsigned char signature[64];
    long start = (long)time(NULL);
    for (unsigned long number = 0; fgets(fields, sizeof fields, stdin); number++) {
        fields[strcspn(fields, "\n")] = 0;
        int length = snprintf(json, sizeof json, "{\"alg\":\"ES256\",\"kid\":\"%s\"}", key_id);
        size_t end = base64url(secret, (unsigned char *)json, (size_t)length);
        secret[end++] = '.';
        length = snprintf(json, sizeof json, "{\"iss\":\"%s\",\"iat\":%ld,\"exp\":%ld,\"aud\":\"%s\",\"sub\":\"%s\"}",
                          team, start, start + LIFE_SECONDS + (long)number, audience, client);
        end += base64url(secret + end, (unsigned char *)json, (size_t)length);
        if (!sign(signature, key, secret, end)) return fprintf(stderr, "mint: cannot sign\n"), 1;
        secret[end++] = '.';
        base64url(secret + end, signature, sizeof signature);

        int body_length = snprintf(body, sizeof body, "client_id=%s&client_secret=%s&%s", client, secret, fields);
        length = snprintf(request, sizeof request,
                          "POST %s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.%lu.%lu.%lu\r\n"
                          "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
                          path, number >> 16 & 255, number >> 8 & 255, number & 255, body_length, body);
        if (length < 0 || length >= (int)sizeof request) return fprintf(stderr, "mint: line too long\n"), 1;
        printf("%d\n%s", length, request);
    }
    EVP_PKEY_free(key);
    return fflush(stdout) == 0 ? 0 : 1;
}
