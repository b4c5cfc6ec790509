/* The limit of password sign-ins: Argon2id alone (19 MiB, t = 2, p = 1), on every core at once.

   argon2 CORES SECONDS     prints hashes per second of the whole machine */

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MEMORY_BYTES (19u * 1024 * 1024)
#define PASSES 2

static double seconds;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *hash(void *rate) {
    static const char password[] = "correct horse battery staple";
    unsigned char out[32], salt[crypto_pwhash_SALTBYTES] = {0};
    double start = now(), end = start;
    int hashes = 0;
    while (end - start < seconds) {
        if (crypto_pwhash(out, sizeof out, password, sizeof password - 1, salt, PASSES, MEMORY_BYTES,
                          crypto_pwhash_ALG_ARGON2ID13) != 0)
            exit(1);
        hashes++;
        end = now();
    }
    *(double *)rate = hashes / (end - start);
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 3 || sodium_init() < 0) return fprintf(stderr, "usage: argon2 CORES SECONDS\n"), 2;
    int cores = atoi(arguments[1]);
    seconds = atof(arguments[2]);
    pthread_t threads[64];
    double rates[64] = {0}, sum = 0;
    if (cores < 1 || cores > 64) return fprintf(stderr, "argon2: 1 to 64 cores\n"), 2;
    for (int core = 0; core < cores; core++) pthread_create(&threads[core], NULL, hash, &rates[core]);
    for (int core = 0; core < cores; core++) pthread_join(threads[core], NULL), sum += rates[core];
    printf("%.2f\n", sum);
    return 0;
}
