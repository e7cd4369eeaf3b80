#define _GNU_SOURCE
#include "X_F.h"
#include "fault.h"
void X_F_init(X_F *d) { (void)d; fault("f:init"); }

/* misuse uses the ports as no kernel may. */
static int misuse(X_F *d) {
    const char *asked = getenv("FAULT"), *what = asked && strncmp(asked, "f:misuse:", 9) == 0 ? asked + 9 : "";
    if (IS("release"))
        X_F_x_release(d, 1000000);
    if (IS("fork")) {
        if (fork() == 0)
            pause();
        X_F_x_release(d, 1000000);
    }
    if (IS("room"))
        X_F_y(d, 10000000);
    if (IS("send"))
        X_F_y_send(d, 10000000);
    return IS("nothing");
}

void X_F_push(X_F *d) {
    while (X_F_x_avail(d)) {
        fault("f:push");
        if (misuse(d))
            return;
        *X_F_y(d, 1) = *X_F_x(d);
        X_F_x_release(d, 1);
        X_F_y_send(d, 1);
    }
}
void X_F_drain(X_F *d) { (void)d; fault("f:drain"); }
void X_F_destroy(X_F *d) { (void)d; fault("f:destroy"); }
