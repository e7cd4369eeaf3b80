package program

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/deploy"
	"xopt/internal/cache"
)

// RuntimeVersion identifies the runtime in every program. Different versions may have different execution times.
func RuntimeVersion() string {
	files, err := deploy.RuntimeFiles()
	if err != nil {
		return "" // impossible: the runtime is embedded
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, name, files[name])
	}
	return cache.Key(parts...)
}

// write writes the sources, and a Makefile for building them by hand. It returns the commands of the build.
func (p *plan) write(dir string, cc, cxx []string, s sanitizers) ([]command, error) {
	files, err := deploy.RuntimeFiles()
	if err != nil {
		return nil, err
	}
	if p.options.Events {
		s.kernel = append(slices.Clone(s.kernel), "-DXRT_EVENTS=1")
	}
	var sources []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".c") {
			sources = append(sources, name)
		}
	}
	if files["choices.h"], err = p.choicesH(s); err != nil {
		return nil, err
	}
	if files["main.c"], err = p.mainC(); err != nil {
		return nil, err
	}
	// One compiler call compiles the runtime, to start fewer processes.
	commands := []command{ownCommand(cc, s, sources...), ownCommand(cc, s, "main.c")}
	commands[0].kept = true
	linker := cc
	tools := toolchain{cc, cxx, s}
	for _, block := range p.blocks() {
		if files["X_"+block+".h"], err = Header(p.program, block); err != nil {
			return nil, err
		}
		c, isCxx, err := tools.kernelCommand(p.program, block, p.impl[block])
		if err != nil {
			return nil, err
		}
		if isCxx {
			linker = cxx
		}
		commands = append(commands, c)
	}
	link, err := p.linkCommand(linker, s, commands)
	if err != nil {
		return nil, err
	}
	commands = append(commands, link)
	files["Makefile"] = makefile(commands)
	return commands, writeFiles(dir, files)
}

// ownCommand returns the command that compiles sources of the runtime or generated sources.
func ownCommand(cc []string, s sanitizers, sources ...string) command {
	c := command{what: "the application", compiler: cc,
		args: slices.Concat(cc, []string{"-std=gnu11", "-O2", aligned, "-I.", "-MD", "-c"}, s.runtime, sources)}
	for _, s := range sources {
		c.objects = append(c.objects, strings.TrimSuffix(s, ".c")+".o")
	}
	return c
}

// linkCommand returns the command that links the objects of the given commands.
func (p *plan) linkCommand(linker []string, s sanitizers, commands []command) (command, error) {
	args := slices.Concat(linker, []string{"-o", "app"}, s.link)
	for i := range commands {
		args = append(args, commands[i].objects...)
	}
	for _, block := range p.blocks() {
		flags, err := Flags(p.impl[block], "ldflags")
		if err != nil {
			return command{}, err
		}
		args = append(args, flags...)
	}
	return command{what: "the application", compiler: linker, args: append(args, "-lm")}, nil
}

// writeFiles writes files by name.
func writeFiles(dir string, files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}
