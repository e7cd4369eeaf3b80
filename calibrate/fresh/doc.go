// Package fresh reports whether the figures of a profile were measured of the sources at hand:
// the files, what they include by quotes, compiler, flags, configs and ports. It compiles
// where the text has changed, for the machine code may be the same, and runs nothing.
//
// It stands between calibrate, which writes down what was measured, and the commands that
// predict from it.
package fresh
