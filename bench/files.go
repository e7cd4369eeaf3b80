package bench

import "embed"

//go:embed chain ring rivals synthetic
var files embed.FS
