package bench

import "embed"

//go:embed chain ring
var files embed.FS
