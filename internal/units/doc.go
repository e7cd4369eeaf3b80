// Package units reads and prints quantities with their units: rates in bytes/s, sizes in bytes, times in seconds,
// frequencies in hertz. All other code uses SI units.
//
// # Input
//
// A number, an optional space, and a unit. Bytes are B, byte or bytes; bits are b, bit or bits; rates end with /s, /sec
// or ps. Prefixes are k (or K), M, G, T for powers of 1000 and Ki, Mi, Gi, Ti for powers of 1024. Times are ps, ns, us
// (or µs), ms, s, min, h. inf and unlimited are infinite quantities. Anything else, including negative numbers and NaN,
// is an error that repeats the text and gives an example of valid input.
//
// # Output
//
// Three significant digits without trailing zeros, an SI prefix, and the unit. Infinity is printed as unlimited and NaN
// as unknown. The Parse functions accept the output of [Rate], [Size], [Time] and [Frequency] for a finite number or
// infinity.
package units
