// Package randomapp draws applications that try buffers: joins of up to 1,000 elements to one, splits,
// filters, branches that part and meet again, broadcasts, loops with initial elements, and links that
// move up to 1 MiB at once. It writes each as X files, with a mapping and C sources that run.
//
// It stands beside bench/draw/taskgraph, whose applications are those of the papers. What it draws can
// always go on with buffers that are large enough: where branches meet at a join, the counts agree.
package randomapp
