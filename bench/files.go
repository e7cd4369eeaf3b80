package bench

import "embed"

// The pipe and the socket that rings are compared with.
//
//go:embed rivals
var rivalFiles embed.FS
