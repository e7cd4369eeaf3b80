package unseen

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed blocks
var blocks embed.FS

// Files returns the names of the X files that Write writes.
func Files() []string { return []string{"app.x", "arch.x"} }

// inputFile is the file that the sources of some applications read.
const inputFile = "input.bin"

// Write writes the application to a folder: app.x, arch.x for the given number of cores, the files of its blocks, and
// the input.
func (a *App) Write(dir string, cores int) error {
	input, err := filepath.Abs(filepath.Join(dir, inputFile))
	if err != nil {
		return fmt.Errorf("writing an application: %w", err)
	}
	written := map[string]string{"app.x": a.program(input), "arch.x": a.architecture(cores)}
	if a.Input != nil {
		written[inputFile] = string(a.Input.content(a.Seed))
	}
	for i := range a.Kernels {
		k := &a.Kernels[i]
		for _, suffix := range []string{".x", ".c"} {
			text, err := k.file(suffix)
			if err != nil {
				return err
			}
			written[strings.ToLower(k.BlockName())+suffix] = text
		}
	}
	var errs []error
	for name, text := range written {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("writing an application: %w", err)
	}
	return nil
}

// file returns the content of the file of the kernel's block with the given suffix.
func (k *Kernel) file(suffix string) (string, error) {
	source, config := k.Block, "output"
	if source == "Tally" { // Tally is Digest with another file config, which --output does not set
		source, config = "Digest", "report"
	}
	raw, err := fs.ReadFile(blocks, "blocks/"+strings.ToLower(source)+suffix)
	if err != nil {
		return "", fmt.Errorf("block %s: %w", k.Block, err)
	}
	text := string(raw)
	if !k.Typed {
		return text, nil
	}
	return strings.NewReplacer("X_"+source, "X_"+k.BlockName(), "block "+source+" ", "block "+k.BlockName()+" ",
		"/* "+source+":", "/* "+k.BlockName()+":", "config.output", "config."+config, "STRING output", "STRING "+config,
		"TYPE", k.Type.Word()).Replace(text), nil
}

// kinds returns one kernel of each block: the first.
func (a *App) kinds() []*Kernel {
	var list []*Kernel
	seen := make(map[string]bool)
	for i := range a.Kernels {
		if k := &a.Kernels[i]; !seen[k.BlockName()] {
			seen[k.BlockName()] = true
			list = append(list, k)
		}
	}
	return list
}

// defaultElements is the default number of elements that each source sends. For small elements, the number is larger.
const defaultElements = 20000

// elements returns the number of elements that each source sends, given the number for large elements.
func (a *App) elements(large int) int {
	if first := &a.Kernels[0]; first.Block == "Read" || first.Block == "Events" {
		return int(float64(large) * sourceRate(int(first.Setting("n"))))
	}
	return large
}

// program returns the content of app.x. input is the path of the file that sources read.
func (a *App) program(input string) string {
	var x strings.Builder
	fmt.Fprintf(&x, "// A random application of %d kernels (seed %d).\n", len(a.Kernels), a.Seed)
	for _, k := range a.kinds() {
		fmt.Fprintf(&x, "#include \"%s.x\"\n", strings.ToLower(k.BlockName()))
	}
	fmt.Fprintf(&x, "\nblock top {\n    config UNSIGNED64 elements = %d;  // of each source\n"+
		"    config STRING report = \"\";           // what a side branch writes\n", a.elements(defaultElements))
	if a.Input != nil {
		fmt.Fprintf(&x, "    config STRING input = \"%s\";  // the file that the source reads\n", input)
	}
	for i := range a.Kernels {
		k := &a.Kernels[i]
		var list []string
		for _, s := range k.Settings {
			list = append(list, s.Name+"="+strconv.FormatFloat(s.Value, 'f', -1, 64))
		}
		switch k.Block {
		case "Text", "Signal", "Numbers", "Events":
			list = append(list, "elements=elements")
		case "Read":
			list = append(list, "elements=elements", "input=input")
		case "Tally":
			list = append(list, "report=report")
		}
		fmt.Fprintf(&x, "    %s %s (%s);\n", k.BlockName(), k.Name, strings.Join(list, ", "))
	}
	for i, e := range a.Edges {
		fmt.Fprintf(&x, "    e%d: %s -> %s;\n", i+1, port(a.Kernels[e.From].Name, e.FromPort, e.FromIndex),
			port(a.Kernels[e.To].Name, e.ToPort, e.ToIndex))
	}
	x.WriteString("};\nuse top;\n")
	return x.String()
}

// strict is the compiler flag that makes floating-point results equal on all machines.
const strict = "-ffp-contract=off"

// architecture returns the content of arch.x.
func (a *App) architecture(cores int) string {
	var x strings.Builder
	x.WriteString("#include \"std.x\"\n\nplatform C {\n")
	for _, k := range a.kinds() {
		fmt.Fprintf(&x, "    impl %s (src=\"%s.c\", flags=\"%s %s\"", k.BlockName(), strings.ToLower(k.BlockName()),
			a.Flags[k.Block], strict)
		if k.Block == "Spectrum" {
			x.WriteString(", ldflags=\"-lm\"")
		}
		x.WriteString(");\n")
	}
	fmt.Fprintf(&x, "};\n\nresource core[%d] is C;\nresource mem is memory ({ core });\n", max(cores, 1))
	return x.String()
}
