/* Queens: counts the ways to place queens in the rows after the first two, row by row, with backtracking. */
#include "X_Queens.h"

void X_Queens_init(X_Queens *d) { (void)d; }
void X_Queens_destroy(X_Queens *d) { (void)d; }

static int attacked(const int *column, int row) {
    for (int i = 0; i < row; i++) {
        int separate = column[row] - column[i];
        if (separate == 0 || separate == row - i || separate == i - row)
            return 1;
    }
    return 0;
}

static uint32_t ways(uint32_t prefix, int n) {
    int column[16] = {(int)(prefix & 255), (int)(prefix >> 8 & 255)}, row = 2;
    uint32_t found = 0;
    if (attacked(column, 1))
        return 0;
    column[2] = 0;
    while (row >= 2) {
        if (column[row] == n) {
            if (--row >= 2)
                column[row]++;
        } else if (attacked(column, row)) {
            column[row]++;
        } else if (row == n - 1) {
            found++;
            column[row]++;
        } else {
            column[++row] = 0;
        }
    }
    return found;
}

void X_Queens_push(X_Queens *d) {
    for (; X_Queens_x_avail(d) > 0; X_Queens_x_release(d, 1)) {
        *X_Queens_y(d, 1) = ways(*X_Queens_x(d), (int)d->config.n);
        X_Queens_y_send(d, 1);
    }
}
