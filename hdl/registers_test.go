package hdl

import (
	"os"
	"strings"
	"testing"
)

// TestRegisters checks that xopt_control.v contains the registers of the hosts' header, and that no two share a word.
func TestRegisters(t *testing.T) {
	const path = "board/xopt_control.v"
	want, err := fill("registers.v.tmpl", registersText{BoardMagic, StreamsWord, Registers(), AgentRecord().Commands})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "    // Registers by word, generated")
	_, after, complete := strings.Cut(rest, recordEnds)
	if !ok || !complete {
		t.Fatalf("%s has no place for the registers", path)
	}
	made := before + want + after
	if *update {
		if err := os.WriteFile(path, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if made != string(text) {
		t.Errorf("%s does not match registers.go: run go test ./hdl -run Registers -update", path)
	}
	const banks = 16 // words of registers with a bit for each kernel
	used := make(map[int]string)
	for _, r := range Registers() {
		n := 1
		if r.Name == "DRAIN" || r.Name == "QUIET" {
			n = banks
		}
		for i := range n {
			if other := used[r.Word+i]; other != "" || r.Word+i >= StreamsWord {
				t.Errorf("%s is at word %d, as %s", r.Name, r.Word+i, other)
			}
			used[r.Word+i] = r.Name
		}
	}
}
