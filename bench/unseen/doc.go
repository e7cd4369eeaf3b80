// Package unseen owns applications that xopt was not tuned on, and how well it predicts them. They are drawn by a
// seed: 4 to 20 kernels of different nature (vector filters, transforms, matrices, tables in and beyond caches,
// hops through memory, sorting, hashes, parsing, compression), in pipelines, parallel copies, branches that meet
// again and side branches, with sizes of elements and rates that are drawn, too. Each is written as X files and C, as
// a user would, and is then calibrated, searched, run and compared with what was predicted.
//
// It stands above calibrate, mapper and validate, which do the work. Its source are the kernels in its folder blocks;
// tests hold the output of every application against plain functions in Go.
package unseen
