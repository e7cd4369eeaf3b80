#include "X_Join.h"
void X_Join_init(X_Join *d) { (void)d; }
void X_Join_destroy(X_Join *d) { (void)d; }
void X_Join_push(X_Join *d) {
    while (X_Join_p_avail(d) && X_Join_q_avail(d)) {
        if (*X_Join_p(d) != *X_Join_q(d))
            X_fail("element %lu meets element %lu", (unsigned long)*X_Join_p(d), (unsigned long)*X_Join_q(d));
        X_Join_p_release(d, 1);
        X_Join_q_release(d, 1);
    }
}
