#include "X_S.h"
void X_S_init(X_S *d) { (void)d; }
void X_S_destroy(X_S *d) { (void)d; }
void X_S_push(X_S *d) {
    while (X_S_x_avail(d))
        X_S_x_release(d, 1);
}
