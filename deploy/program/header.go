package program

import "xopt/flow/xlang"

// Header returns X_<BLOCK>.h, the typed functions of a block's ports, for compiling the source of a kernel
// outside a deployment.
func Header(p *xlang.Program, block string) (string, error) { return header(p, block) }

// ConfigValue returns the value of a config in C.
func ConfigValue(v xlang.Value) string {
	if configType(v) == "const char *" {
		return cString(v.Text)
	}
	return real64(v.Number)
}
