/* Chopper: the charge of a pulse is the sum of 8 samples, which start 3 samples before its peak. */
#include "X_Chopper.h"

void X_Chopper_init(X_Chopper *d) { (void)d; }
void X_Chopper_destroy(X_Chopper *d) { (void)d; }

void X_Chopper_push(X_Chopper *d) {
    while (X_Chopper_x_avail(d) > 0) {
        const float *x = X_Chopper_x(d);
        int peak = 0;
        for (int i = 1; i < 24; i++)
            if (x[i] > x[peak])
                peak = i;
        float charge = 0;
        for (int i = peak - 3; i < peak + 5; i++)
            charge += x[(i + 96) % 96];
        *X_Chopper_charge(d, 1) = charge;
        X_Chopper_x_release(d, 1);
        X_Chopper_charge_send(d, 1);
    }
}
