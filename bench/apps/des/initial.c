/* Initial: applies the initial permutation (FIPS 46-3, IP). */
#include "X_Initial.h"
#include "permute.h"

static const uint8_t table[64] = {
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};

void X_Initial_init(X_Initial *d) { (void)d; }
void X_Initial_destroy(X_Initial *d) { (void)d; }

void X_Initial_push(X_Initial *d) {
    while (X_Initial_x_avail(d) > 0) {
        *X_Initial_y(d, 1) = permute(*X_Initial_x(d), 64, table, 64);
        X_Initial_x_release(d, 1);
        X_Initial_y_send(d, 1);
    }
}
