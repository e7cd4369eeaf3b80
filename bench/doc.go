// Package bench holds applications with real kernels, to be deployed and measured,
// and tests that what they compute is right whatever the mapping. It holds no code
// that other packages use.
package bench
