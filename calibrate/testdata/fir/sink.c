/* Sink: takes everything. */
#include "X_Sink.h"

void X_Sink_init(X_Sink *d) { (void)d; }
void X_Sink_push(X_Sink *d) { X_Sink_x_release(d, X_Sink_x_avail(d)); }
void X_Sink_destroy(X_Sink *d) { (void)d; }
