/* Keys: computes the key schedule (FIPS 46-3, KS). */
#include <stdbool.h>
#include <string.h>
#include "X_Keys.h"
#include "permute.h"

static const uint8_t choice1[56] = {
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
    63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4};
static const uint8_t choice2[48] = {
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
static const uint8_t shifts[16] = {1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1};

void X_Keys_init(X_Keys *d) { (void)d; }
void X_Keys_destroy(X_Keys *d) { (void)d; }

static uint64_t parse(const char *text) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    uint64_t key = 0;
    if (strlen(text) != 16)
        X_fail("the key \"%s\" has %zu digits, expected 16 hexadecimal digits", text, strlen(text));
    for (; *text; text++) {
        const char *digit = strchr(digits, *text);
        if (!digit)
            X_fail("'%c' in the key is not a hexadecimal digit", *text);
        key = key << 4 | (uint64_t)((digit - digits) & 15);
    }
    return key;
}

static uint64_t rotate28(uint64_t x, int n) { return (x << n | x >> (28 - n)) & 0xfffffff; }

int X_Keys_go(X_Keys *d) {
    uint64_t cd = permute(parse(d->config.key), 64, choice1, 56), c = cd >> 28, low = cd & 0xfffffff;
    for (size_t i = 0; i < 16; i++) {
        c = rotate28(c, shifts[i]);
        low = rotate28(low, shifts[i]);
        size_t round = d->config.decrypt ? 15 - i : i;
        *X_Keys_k(d, round, 1) = permute(c << 28 | low, 56, choice2, 48);
        X_Keys_k_send(d, round, 1);
    }
    return 1;
}
