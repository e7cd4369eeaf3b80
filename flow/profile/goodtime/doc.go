// Package goodtime tells what a kernel costs on a processor that nothing slows, from windows of which some were
// slowed. Fixed pieces of work, the faces of a reference, take turns with the kernel on its processor. What a face
// takes while nothing slows it is its lower mode; how far it is above that, beside each window, tells how slow the
// processor was in that respect; and how a kernel's cost follows the faces is fitted. Calibration uses it, and who
// compares runs of different times may.
//
// Assumptions: the logarithm of the cost grows in proportion to the logarithms of the faces (a kernel that spends a
// share b of its time on what a face does is slowed by that power of it), never falls with them, and windows of one
// run have errors in common.
//
// Sources: T. Robertson and J. D. Cryer, An iterative procedure for estimating the mode, 1974, and D. R. Bickel and R.
// Frühwirth, On a fast, robust estimator of the mode, 2006 (half-sample mode); C. L. Lawson and R. J. Hanson, Solving
// least squares problems, 1974 (non-negative least squares); P. J. Huber, Robust estimation of a location parameter,
// 1964; B. Efron and R. J. Tibshirani, An introduction to the bootstrap, 1993 (of blocks).
package goodtime
