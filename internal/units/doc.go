// Package units reads and prints quantities with their units: rates in bytes/s,
// sizes in bytes, times in seconds, frequencies in hertz. Inside the program
// everything is SI; units exist where text is read and where it is printed, and
// nowhere else.
//
// # What is read
//
// A number, a space or none, and a unit. Bytes are B, byte or bytes; bits are b,
// bit or bits; a rate has /s, /sec or ps after it. Prefixes are k (or K), M, G, T
// for powers of 1000 and Ki, Mi, Gi, Ti for powers of 1024. Times are ps, ns, us
// (or µs), ms, s, min, h. inf and unlimited are a quantity without bound.
// Anything else, negative numbers and NaN included, is an error that repeats the
// text and gives an example of what is accepted.
//
// # What is printed
//
// Four significant digits without trailing zeros, an SI prefix, the unit.
// Infinity is printed as unlimited and NaN as unknown. What [Rate], [Size], [Time]
// and [Frequency] print of a finite number or of infinity, the Parse functions
// read back.
package units
