package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version describes the build: the module's version or the commit it was built
// from, and the solvers that are in it.
func version() string {
	v := "development build"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			v = info.Main.Version
		}
	}
	engine := "without CLP"
	if hasCLP {
		engine = "with CLP"
	}
	return fmt.Sprintf("%s (%s, %s)", v, runtime.Version(), engine)
}
