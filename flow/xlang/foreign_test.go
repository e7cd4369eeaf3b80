package xlang

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// loadText loads the first of some files, and returns the text of its mistakes.
func loadText(t *testing.T, first string, files map[string]string) string {
	t.Helper()
	_, source, err := Load([]string{first}, Options{ReadFile: func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}})
	var d Diagnostics
	if !errors.As(err, &d) {
		t.Fatalf("no mistakes: %v", err)
	}
	var b strings.Builder
	d.Render(&b, source.Text)
	return b.String() + d.Error()
}

// TestForeignText: nothing of a file that is not an X file is shown, whoever includes it.
func TestForeignText(t *testing.T) {
	for name, text := range map[string]string{
		"passwords":     "root:$6$secret:19000:0:99999:7:::\n",
		"link.x":        "root:$6$secret:19000:0:99999:7:::\n",
		"key":           "-----BEGIN PRIVATE KEY-----\nsecret\n",
		"commented":     "# secret\nsecret = secret\n",
		"like X":        "/* of\nmine */ // and so on\nmap = \"secret\"\nuse secret tokens\n",
		"unclosed":      "block { secret \"secret\n",
		"bytes":         "\x7fELF secret",
		"second line":   "block A { input UNSIGNED8 x; };\nsecret line\n",
		"comment first": "// secret\nsecret\n",
	} {
		t.Run(name, func(t *testing.T) {
			output := loadText(t, "app.x", map[string]string{"app.x": "#include \"" + name + "\"\nblock top { };\n",
				name: text})
			if strings.Contains(output, "secret") {
				t.Errorf("it is shown:\n%s", output)
			}
			if !strings.Contains(output, name+" is not an X file") || !strings.Contains(output, "app.x:1:1: error") {
				t.Errorf("it is not said what is wrong:\n%s", output)
			}
		})
	}
	if output := loadText(t, "notes", map[string]string{"notes": "a secret"}); strings.Contains(output, "secret") ||
		!strings.Contains(output, "notes is not an X file") {
		t.Errorf("of a file that was named: %s", output)
	}
	name := "app.validate.checkpoint.json"
	if output := loadText(t, name, map[string]string{name: "{ }"}); !strings.Contains(output, "--resume") {
		t.Errorf("of a checkpoint: %s", output)
	}
	// X files show their mistakes, whatever they are called when they are named.
	for name, text := range map[string]string{"part.x": "blok B { input UNSIGNED8 x; };\n",
		"part": "block B { inputt UNSIGNED8 x; };\n"} {
		output := loadText(t, name, map[string]string{name: text})
		if !strings.Contains(output, strings.TrimSpace(text)) {
			t.Errorf("the mistake is not shown:\n%s", output)
		}
	}
	if output := loadText(t, "app.x", map[string]string{"app.x": "#include part.x\n",
		"part.x": "\ufeffblok B { input UNSIGNED8 x; };\n"}); !strings.Contains(output, "did you mean block?") {
		t.Errorf("of an X file that is included:\n%s", output)
	}
}

// TestLongText: for names and lines of any length, messages are short and show the place.
func TestLongText(t *testing.T) {
	const n = 1 << 18
	long := strings.Repeat("s", n)
	for _, text := range []string{
		"block " + long + " { input " + long + "t x; };\nblock top { " + long + "u z; };\n",
		"resource p is " + strings.Repeat("9", n) + ";\n",
		"#include \"" + long + "\"\n",
		"block top { config a = \"" + long + "\"; };\n",
		"map { " + long + "." + long + " } to " + long + ";\nblock top { };\n",
		"block A { input UNSIGNED8 x; };" + strings.Repeat(" ", 300) + "blok" + strings.Repeat(" ", 30_000) + ";\n",
	} {
		if output := loadText(t, "app.x", map[string]string{"app.x": text}); len(output) > 8000 {
			t.Errorf("of %.20s…: %d bytes: %.300s", text, len(output), output)
		}
	}
	output := loadText(t, "app.x", map[string]string{"app.x": "block A { input UNSIGNED8 x; };" + strings.Repeat(" ",
		300) + "blokk B;" + strings.Repeat(" ", 300) + "\n"})
	lines := strings.Split(output, "\n")
	if at := strings.Index(lines[1], "blokk"); at < 0 || !strings.HasPrefix(lines[1], "    …") ||
		len([]rune(lines[1])) > maxShownLine+4 || strings.Index(lines[2], "^")+len("…")-1 != at {
		t.Errorf("the place in a long line is not shown:\n%s", output)
	}
}
