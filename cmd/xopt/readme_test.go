package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeSession runs the commands of the console blocks in the README, each
// block in a folder of its own, and compares what they print with what the
// README shows. With UPDATE_SCRIPTS set it writes the README anew.
func TestReadmeSession(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const open, shut = "```console\n", "```\n"
	rest := string(readme)
	var out strings.Builder
	blocks := 0
	for {
		before, after, found := strings.Cut(rest, open)
		out.WriteString(before)
		if !found {
			break
		}
		block, tail, found := strings.Cut(after, shut)
		if !found {
			t.Fatal("a console block is not closed")
		}
		out.WriteString(open + session(t, block) + shut)
		rest = tail
		blocks++
	}
	if blocks < 2 {
		t.Errorf("%d console blocks", blocks)
	}
	if out.String() == string(readme) {
		return
	}
	if os.Getenv("UPDATE_SCRIPTS") == "" {
		t.Fatal("the README shows another session than the program gives; set UPDATE_SCRIPTS=1 to write it anew")
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// session runs the commands of a block and returns them with what they print to
// standard output.
func session(t *testing.T, block string) string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var out strings.Builder
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		out.WriteString("$ " + command + "\n")
		words := strings.Fields(command)
		switch words[0] {
		case "cd":
			dir = filepath.Join(dir, words[1])
		case "xopt":
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(self, words[1:]...)
			cmd.Args[0] = "xopt" // see TestMain
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
			cmd.Env = append(os.Environ(), "COLUMNS=100")
			if err := cmd.Run(); err != nil {
				t.Fatalf("%s: %v\n%s", command, err, stderr.String())
			}
			out.Write(stdout.Bytes())
		default:
			t.Fatalf("cannot run %q", command)
		}
	}
	return out.String()
}
