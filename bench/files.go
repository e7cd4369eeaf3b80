package bench

import "embed"

//go:embed blastn chain des jpeg laplace ring rivals synthetic veritas
var files embed.FS
