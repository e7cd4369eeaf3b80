/* Server: forwards elements. */
#include "X_Server.h"

void X_Server_init(X_Server *d) { (void)d; }

void X_Server_destroy(X_Server *d) { (void)d; }

void X_Server_push(X_Server *d) {
    while (X_Server_x_avail(d) > 0) {
        *X_Server_y(d, 1) = *X_Server_x(d);
        X_Server_y_send(d, 1);
        X_Server_x_release(d, 1);
    }
}
