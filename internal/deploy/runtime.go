package deploy

import "embed"

// Runtime holds the sources of the C runtime, in the folder runtime.
//
//go:embed runtime
var Runtime embed.FS

// Templates hold the files that are generated for each application, in the folder templates: the
// tables that make the runtime this application, and the typed functions of its blocks.
//
//go:embed templates
var Templates embed.FS
