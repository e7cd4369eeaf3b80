// Package design lowers what X files say ([xlang.Program]), together with a
// measured profile and what the command line overrides, to what the model and
// the search work on: a [flow.Problem], [flow.Constraints] and, where the
// files hold one, a [flow.Mapping]. It also writes mappings back as X code.
//
// It gives meaning to what package xlang only stores: the configs of platforms
// and linktypes (sharing, area, bandwidth), the attributes of figures (mu, time,
// gain, scv, lut, ff, bram, dsp, from), routes, maps and constraints.
//
// # Which kernel may go where
//
// A kernel may run on a resource when the resource's platform, or an ancestor of
// it, has an implementation of the kernel's block, or when a figure names the
// two. A figure implies an implementation: nobody measures what does not exist.
//
// # Which figure holds
//
// Every attribute is looked up on its own. The command line goes before the X
// files, and those before the profile. Among statements of the X files one that
// names the instance goes before one that names the block; then a resource goes
// before an array of resources, and that before the nearest platform. Two
// statements of equal rank that differ are an error.
//
// Gain and routing belong to a kernel and not to where it runs: what leaves it is
// the same everywhere. Gains that differ between resources are an error.
//
// Every figure carries its origin: the first word of its `from` attribute,
// measured, simulated, published or assumed, and the text as a note. A figure without
// `from` is assumed. What a profile has of hardware was measured in its simulation, and
// is simulated.
package design
