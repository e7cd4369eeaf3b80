package hdl

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

var update = flag.Bool("update", false, "write the generated texts anew")

const (
	recordBegins = "    // Records and commands, generated"
	recordEnds   = "    // End of the generated lines.\n"
)

// withRecord returns the agent with the constants of a layout.
func withRecord(t *testing.T, agent string, l RecordLayout) string {
	t.Helper()
	text, err := l.Verilog()
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(agent, recordBegins)
	_, after, complete := strings.Cut(rest, recordEnds)
	if !ok || !complete {
		t.Fatal("xopt_agent.v has no place for the layout of records")
	}
	return before + text + after
}

// layout writes the constants of a layout to the file that test benches include.
func layout(t *testing.T, l RecordLayout) string {
	t.Helper()
	text, err := l.Verilog()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "record.vh"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRecordTexts checks that the agent and the C++ header match the layout.
func TestRecordTexts(t *testing.T) {
	header, err := AgentRecord().CHeader()
	if err != nil {
		t.Fatal(err)
	}
	const agentPath, headerPath = "agent/xopt_agent.v", "testdata/record.h"
	agent, err := os.ReadFile(agentPath)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{agentPath: withRecord(t, string(agent), AgentRecord()),
		headerPath: header} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s does not match record.go: run go test ./hdl -run Record -update", path)
		}
	}
}

// otherRecord returns a layout in which every position differs.
func otherRecord() RecordLayout {
	l := AgentRecord()
	l.Magic = 0x01234567
	l.CheckTurn = 5
	slices.Reverse(l.Header)
	for i := range l.Commands {
		l.Commands[i].Operation += 40
	}
	return l
}

const recordReader = `#include "record.h"
#include <stdio.h>
int main() {
    uint32_t words[RECORD_WORDS(4, 16)];
    const size_t last = RECORD_WORDS(4, 16) - 1;
    for (uint32_t &w : words)
        if (scanf("%x", &w) != 1)
            return 2;
    if (words[RECORD_MAGIC_AT] != RECORD_MAGIC || words[last] != record_check(words, last))
        return 3;
    printf("%u %u %u %u", words[RECORD_NUMBER], words[RECORD_LOST], words[RECORD_CYCLE_LOW], words[RECORD_CYCLE_HIGH]);
    for (size_t i = RECORD_FIGURES; i < last; i++)
        printf(" %u", words[i]);
    printf(" %08x\n", record_command(COMMAND_ENABLE, 3));
    return words[RECORD_SIZES] != (16u << 16 | 4u);
}
`

// TestRecordOneSource changes a layout in one place. The agent must send that layout, and the readers in Go and in C++
// must read it and reject records of another layout.
func TestRecordOneSource(t *testing.T) {
	compiler := testkit.Tool(t, "g++", "g++")
	for name, l := range map[string]RecordLayout{"as it is": AgentRecord(), "changed": otherRecord()} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			header, err := l.CHeader()
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"record.h": header, "reader.cpp": recordReader} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			reader := filepath.Join(dir, "reader")
			if out, err := exec.Command(compiler, "-Wall", "-Wextra", "-Werror", "-o", reader,
				filepath.Join(dir, "reader.cpp")).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, words := range sentRecords(t, l) {
				r, err := l.Parse(words, 4, 16)
				if err != nil {
					t.Fatal(err)
				}
				var in strings.Builder
				for _, w := range words {
					fmt.Fprintf(&in, "%x\n", w)
				}
				cmd := exec.Command(reader)
				cmd.Stdin = strings.NewReader(in.String())
				got, err := cmd.Output()
				want := fmt.Sprintf("%d %d %d %d", r.Number, r.Lost, uint32(r.Cycle), r.Cycle>>32)
				for _, figure := range append(slices.Clone(r.Figures), r.Bins...) {
					want += fmt.Sprintf(" %d", figure)
				}
				want += fmt.Sprintf(" %08x\n", l.Command(Enable, 3))
				if err != nil || string(got) != want {
					t.Errorf("in C++ a record is %q, %v; in Go it is %q", got, err, want)
				}
				other := otherRecord()
				if name == "changed" {
					other = AgentRecord()
				}
				if _, err := other.Parse(words, 4, 16); err == nil {
					t.Error("another layout reads the record")
				}
			}
		})
	}
}

// sentRecords returns the first records of an agent with the constants of a layout.
func sentRecords(t *testing.T, l RecordLayout) (records [][]uint32) {
	t.Helper()
	files := sources(t)
	for _, path := range files {
		if filepath.Base(path) != "xopt_agent.v" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(withRecord(t, string(text), l)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "bench")
	args := append([]string{"-g2005", "-Wall", "-Wno-timescale", "-s", "bench", "-o", out, "-I", layout(t, l),
		"testdata/agent.v"}, files...)
	if text, err := exec.Command(testkit.Tool(t, "iverilog", "iverilog"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text := run(t, out, "seed=1", "stall=0", "frame=100", "frames=5", "shown=3")
	for _, line := range strings.Split(text, "\n") {
		rest, ok := strings.CutPrefix(line, "shown")
		if !ok {
			continue
		}
		var words []uint32
		for _, word := range strings.Fields(rest) {
			var w uint32
			if _, err := fmt.Sscanf(word, "%x", &w); err != nil {
				t.Fatal(err)
			}
			words = append(words, w)
		}
		records = append(records, words)
	}
	if len(records) != 3 {
		t.Fatalf("%d records came, want 3:\n%s", len(records), text)
	}
	return records
}
