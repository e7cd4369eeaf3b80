package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xopt/flow/xlang"
)

// Kinds of blocks, by their comparison with the output. An exact block shows all of it. A partial one shows some lines
// in order, with "..." for others. With measured figures it also shows some lines, which are compared by their
// labels. The blocks of a file share one folder. The short ring does not run those with measured figures.
const (
	openBlock  = "```console"
	closeBlock = "```\n"

	exact    = "\n"
	part     = " part\n"
	measured = " measured\n"
)

// TestDocs runs the commands of the console blocks in README.md and docs, with one folder per file, and compares the
// output with the file. It also compares the generated parts with the program. With UPDATE_SCRIPTS set it rewrites
// both.
func TestDocs(t *testing.T) {
	root := filepath.Join("..", "..")
	files := []string{filepath.Join(root, "README.md")}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, path := range files {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		blocks += strings.Count(string(text), openBlock)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := madeParts(t, playBlocks(t, string(text)))
			if now == string(text) {
				return
			}
			if os.Getenv("UPDATE_SCRIPTS") == "" {
				t.Fatalf("%s differs from the output of the program; set UPDATE_SCRIPTS=1 to replace it\n%s",
					name, firstDifference(string(text), now))
			}
			if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
	if blocks < 3 {
		t.Errorf("%d console blocks", blocks)
	}
}

// playBlocks runs the blocks of a text, and returns the text with the present output of its exact blocks.
func playBlocks(t *testing.T, text string) string {
	var out strings.Builder
	dir := t.TempDir()
	story := player{dir: dir}
	for {
		before, after, found := strings.Cut(text, openBlock)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		kind, after, _ := strings.Cut(after, "\n")
		kind += "\n"
		block, tail, found := strings.Cut(after, closeBlock)
		if !found {
			t.Fatal("a console block is not closed")
		}
		text = tail
		switch kind {
		case exact:
			p := player{dir: t.TempDir()}
			block = p.play(t, block, nil)
		case part:
			p := player{dir: t.TempDir()}
			p.play(t, block, func(line string) string { return line })
		case measured:
			if !testing.Short() {
				story.play(t, block, label)
			}
		default:
			t.Fatalf("unknown kind of block %q", openBlock+kind)
		}
		out.WriteString(openBlock + kind + block + closeBlock)
	}
}

// player runs commands in a folder, which `cd` changes.
type player struct{ dir string }

// play runs the commands of a block and returns them with their standard output. With a key, it only checks that each
// shown line occurs in the output, up to its key.
func (p *player) play(t *testing.T, block string, key func(line string) string) string {
	var out strings.Builder
	for part := range strings.SplitSeq("\n"+block, "\n$ ") {
		command, shown, _ := strings.Cut(part, "\n")
		if strings.TrimSpace(command) == "" {
			continue
		}
		printed := p.run(t, command)
		if key != nil {
			sameLines(t, command, shown, printed, key)
		}
		out.WriteString("$ " + command + "\n" + printed)
	}
	return out.String()
}

// run runs one command, xopt or cd.
func (p *player) run(t *testing.T, command string) string {
	words := strings.Fields(command)
	switch words[0] {
	case "cd":
		p.dir = filepath.Join(p.dir, words[1])
		return ""
	case "xopt":
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(self, words[1:]...)
		cmd.Args[0] = "xopt" // see TestMain
		cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &stdout, &stderr
		cmd.Env = append(os.Environ(), "COLUMNS=100")
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, stderr.String())
		}
		return stdout.String()
	}
	t.Fatalf("cannot run %q", command)
	return ""
}

// label returns a line up to its first digit, or to the gap of two blanks after its first column, which precedes
// facts about the machine.
func label(line string) string {
	line = strings.TrimSpace(line)
	if cut := strings.IndexAny(line, "0123456789"); cut >= 0 {
		line = line[:cut]
	}
	line, _, _ = strings.Cut(line, "  ")
	return line
}

// sameLines checks that the shown lines are in the output in order; "..." stands for other lines.
func sameLines(t *testing.T, command, shown, printed string, key func(string) string) {
	t.Helper()
	lines := strings.Split(printed, "\n")
	for line := range strings.Lines(shown) {
		want := strings.Join(strings.Fields(key(line)), " ")
		if want == "..." || want == "" {
			continue
		}
		found := false
		for len(lines) > 0 && !found {
			found = strings.HasPrefix(strings.Join(strings.Fields(lines[0]), " "), want)
			lines = lines[1:]
		}
		if !found {
			t.Fatalf("%s: no line begins with %q, after those before it, in\n%s", command, want, printed)
		}
	}
}

// madeParts returns a text with its generated parts updated. They are between `<!-- made: NAME -->` and `<!-- end
// -->`.
func madeParts(t *testing.T, text string) string {
	const open, shut = "<!-- made: ", "<!-- end -->"
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, open)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, rest, _ := strings.Cut(after, " -->\n")
		_, tail, found := strings.Cut(rest, shut)
		if !found {
			t.Fatalf("the part %q has no end", name)
		}
		maker, ok := partMakers()[name]
		if !ok {
			t.Fatalf("nothing makes the part %q", name)
		}
		made, err := maker()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s%s -->\n%s%s", open, name, made, shut)
		text = tail
	}
}

// partMakers returns the generators of the documentation's generated parts, by name.
func partMakers() map[string]func() (string, error) {
	return map[string]func() (string, error){
		"grammar of X": func() (string, error) {
			g, err := xlang.Grammar()
			return "```\n" + g + "```\n", err
		},
	}
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: shown %q, now %q", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines shown, %d now", len(x), len(y))
}
