package deploy

import "embed"

// Runtime holds the sources of the C runtime, in the folder runtime.
//
//go:embed runtime
var Runtime embed.FS
