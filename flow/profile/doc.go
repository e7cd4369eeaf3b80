// Package profile owns profiles: what was measured of kernels and links on one
// machine, each kernel alone, never starved and never blocked (Beard 2013 §3.1,
// Fig. 9), with how sure each figure is.
//
// It stands before flow in the data's way: a profile holds the figures that flow
// scores mappings from. It never scores one itself.
package profile
