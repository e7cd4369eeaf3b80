/* Final: exchanges the halves, and applies the inverse of the initial permutation (FIPS 46-3). */
#include "X_Final.h"
#include "permute.h"

static const uint8_t table[64] = {
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27, 34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25};

void X_Final_init(X_Final *d) { (void)d; }
void X_Final_destroy(X_Final *d) { (void)d; }

void X_Final_push(X_Final *d) {
    while (X_Final_x_avail(d) > 0) {
        uint64_t x = *X_Final_x(d);
        *X_Final_y(d, 1) = permute(x << 32 | x >> 32, 64, table, 64);
        X_Final_x_release(d, 1);
        X_Final_y_send(d, 1);
    }
}
