#define _GNU_SOURCE
#include "X_S.h"
#include "fault.h"
void X_S_init(X_S *d) { (void)d; fault("s:init"); }
void X_S_push(X_S *d) { while (X_S_x_avail(d)) { fault("s:push"); X_S_x_release(d, 1); } }
void X_S_drain(X_S *d) { (void)d; fault("s:drain"); }
void X_S_destroy(X_S *d) { (void)d; fault("s:destroy"); }
