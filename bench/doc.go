// Package bench holds synthetic applications that it draws, and the experiments: those that measure this program itself, such as what a ring moves
// (beside a pipe, a socket and a Go channel) and what taps cost the application that
// they measure (Lancaster 2011 §4.7.2), and those of the papers (Beard 2013 §5;
// Lancaster 2011, ch. 7), repeated on this machine.
//
// The applications are in bench/apps. It stands beside cmd; no package but cmd imports it.
package bench
