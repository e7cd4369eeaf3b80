package main

import "xopt/internal/safetext"

// shellLine joins arguments into a line that can be pasted into a shell.
func shellLine(args []string) string { return safetext.ShellLine(args) }

func shellWord(s string) string { return safetext.ShellWord(s) }
