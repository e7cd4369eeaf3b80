package lint

// Layer is a top-level folder of Go packages.
type Layer struct {
	Folder string
	Owns   string // its subject, in a few words
}

// Layers returns the layers in the order of imports: a package may import packages of its own layer and of layers that
// come earlier in the list.
func Layers() []Layer {
	return []Layer{
		{"internal", "helpers that know nothing of streaming"},
		{"configs", "examples, the library std.x, a first application, the default xopt.yaml"},
		{"queueing", "stations and queues"},
		{"flow", "an application on a machine and the flow through it"},
		{"hdl", "Verilog, and the open tools that build and simulate it"},
		{"mapper", "finds mappings, proves them, predicts results"},
		{"deploy", "builds, runs, simulates, instruments and checks a mapping"},
		{"calibrate", "measures kernels, links and the machine into a profile"},
		{"bench", "experiments and applications"},
		{"cmd", "the commands, their reports and campaigns"},
	}
}

// Exception forbids an import that the order of layers would allow.
type Exception struct{ Package, Import, Why string }

// exceptions returns the imports that are forbidden although the order of layers allows them.
func exceptions() []Exception {
	return []Exception{
		{"flow", "internal/units", "the model is in SI units; callers that read and print convert"},
		{"flow/xlang", "flow", "flow/design gives the words of X their meaning for the model"},
		{"deploy/validate", "mapper", "validation does not depend on how mappings were found"},
		{"deploy/measure", "mapper", "it measures any mapping"},
		{"calibrate", "mapper", "it measures any mapping"},
	}
}

// testOnly returns the packages that only tests import.
func testOnly() []string {
	return []string{"bench/apps/apptest", "flow/flowtest", "internal/lint", "internal/testkit"}
}
