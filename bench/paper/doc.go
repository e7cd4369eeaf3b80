// Package paper owns the papers' experiments, repeated on this machine, ours beside theirs: Beard 2013 §5 (how
// processes share a core, flows and queues of synthetic and of real applications), Lancaster 2011, ch. 7 (BLASTN
// as a Jacksonian network), and Gayen 2008, Tables 6.1 and 6.2 (a hybrid application over the bandwidth of its
// bus).
//
// It stands above calibrate, which measures kernels alone, and validate, which runs mappings; only cmd imports it.
package paper
