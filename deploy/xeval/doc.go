// Package xeval owns the analysis language X-Eval (Gayen 2008, ch. 4): production rules that say
// which events of a trace belong together, and so make waiting times and execution times of them;
// of a kernel, of several, of a resource, or of the whole application.
//
// A rule "sum.x0 and sum.x1 -> sum.y0" says that an element on each of two inputs makes one run,
// which ends with an element sent. Its trigger is when the last of its inputs became available, its
// start when the last was taken, its finish when the last output was sent: the run waited from
// trigger to start, and executed from start to finish.
//
// [Parse] reads a semantics file (.smx), [Derive] makes the rules that the declarations of an X file
// imply, [Evaluate] applies rules to a trace (deploy/trace), and [Substitute] does what xmodel2 of
// the thesis did: it puts the execution times of one run in the place of a block in another (§5.2.1).
// Times are in ps. Memory grows with what is on its way between triggers and finishes, and not with
// the length of a trace.
package xeval
