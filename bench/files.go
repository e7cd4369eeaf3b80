package bench

import "embed"

//go:embed chain ring rivals
var files embed.FS
