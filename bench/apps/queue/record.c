/* Record: consumes elements. The run counts them. */
#include "X_Record.h"

void X_Record_init(X_Record *d) { (void)d; }

void X_Record_destroy(X_Record *d) { (void)d; }

void X_Record_push(X_Record *d) {
    while (X_Record_x_avail(d) > 0)
        X_Record_x_release(d, 1);
}
