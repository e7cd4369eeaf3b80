/* RGB2YCbCr: applies the color conversion of JFIF, in fixed point with 16 fractional bits. */
#include "X_RGB2YCbCr.h"

void X_RGB2YCbCr_init(X_RGB2YCbCr *d) { (void)d; }
void X_RGB2YCbCr_destroy(X_RGB2YCbCr *d) { (void)d; }

enum { HALF = 1 << 15, MIDDLE = (128 << 16) + HALF - 1 };

void X_RGB2YCbCr_push(X_RGB2YCbCr *d) {
    while (X_RGB2YCbCr_rgb_avail(d) > 0) {
        const uint8_t *p = X_RGB2YCbCr_rgb(d);
        uint8_t *y = X_RGB2YCbCr_y(d, 1), *cb = X_RGB2YCbCr_cb(d, 1), *cr = X_RGB2YCbCr_cr(d, 1);
        for (int i = 0; i < 64; i++, p += 3) {
            int r = p[0], g = p[1], b = p[2];
            y[i] = (uint8_t)((19595 * r + 38470 * g + 7471 * b + HALF) >> 16);
            cb[i] = (uint8_t)((-11059 * r - 21709 * g + 32768 * b + MIDDLE) >> 16);
            cr[i] = (uint8_t)((32768 * r - 27439 * g - 5329 * b + MIDDLE) >> 16);
        }
        X_RGB2YCbCr_rgb_release(d, 1);
        X_RGB2YCbCr_y_send(d, 1);
        X_RGB2YCbCr_cb_send(d, 1);
        X_RGB2YCbCr_cr_send(d, 1);
    }
}
