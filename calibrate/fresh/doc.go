// Package fresh reports whether the figures of a profile match the current sources: files, their quoted includes,
// compiler, flags, configs and ports. If the text has changed, the package compiles the sources, because the machine
// code may be the same. It runs no code.
//
// Package calibrate stores the identity of the measured sources, and the commands that predict check it with this
// package.
package fresh
