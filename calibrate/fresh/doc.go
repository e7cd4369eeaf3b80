// Package fresh reports whether the figures of a profile match the current sources: files, their quoted
// includes, compiler, flags, configs and ports. If the text has changed, it compiles, because the machine code
// may be the same. It runs nothing.
//
// It stands between calibrate, which stores the identity of the measured sources, and the commands that predict
// from it.
package fresh
