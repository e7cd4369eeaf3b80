package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	repository = "../.."
	module     = "xopt"
)

// topLevel returns the allowed names at the top of the repository.
func topLevel() []string {
	return append(folders(), "go.mod", "go.sum", "README.md", "Makefile", "LICENSE")
}

func folders() []string {
	return []string{"cmd", "flow", "queueing", "mapper", "calibrate", "deploy", "bench", "hdl", "configs", "docs",
		"internal"}
}

// longFunctions returns the functions that were too long when the rule was introduced. The list only shrinks.
func longFunctions() []string {
	return nil
}

// wideFiles returns the files with lines that were too long when the rule was introduced. The list only shrinks.
func wideFiles() []string {
	return nil
}

// missingPaths returns paths in the documentation that will be created soon. The list only shrinks.
func missingPaths() []string {
	return []string{}
}

func TestRooms(t *testing.T) {
	h := &house{Layers(), exceptions(), testOnly()}
	found, err := h.imports(repository, module)
	report(t, found, err)
}

func TestLines(t *testing.T) {
	found, err := lines(repository, wideFiles())
	report(t, found, err)
}

func TestFunctions(t *testing.T) {
	found, err := functions(repository, longFunctions())
	report(t, found, err)
}

func TestDocumentation(t *testing.T) {
	found, err := documentation(repository, folders(), missingPaths())
	report(t, found, err)
}

func TestProse(t *testing.T) {
	found, err := prose(repository)
	report(t, found, err)
}

func TestQuotes(t *testing.T) {
	found, err := quotes(repository, maxQuotes)
	report(t, found, err)
}

func TestOpenings(t *testing.T) {
	found, err := openings(repository)
	report(t, found, err)
}

func TestNames(t *testing.T) {
	found, err := names(repository)
	report(t, found, err)
}

func TestTop(t *testing.T) {
	found, err := top(repository, topLevel())
	report(t, found, err)
}

func TestForeign(t *testing.T) {
	found, err := foreign(repository)
	report(t, found, err)
}

func TestConflicts(t *testing.T) {
	found, err := conflicts(repository)
	report(t, found, err)
}

// report fails with the list of faults.
func report(t *testing.T, found []string, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// tree writes files into a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// same fails unless each found fault contains its wanted text and there are no others.
func same(t *testing.T, found []string, err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(want) {
		t.Errorf("%d faults, want %d:\n%s", len(found), len(want), strings.Join(found, "\n"))
		return
	}
	for i, w := range want {
		if !strings.Contains(found[i], w) {
			t.Errorf("fault %q does not say %q", found[i], w)
		}
	}
}

func TestLayersFail(t *testing.T) {
	layers := []Layer{{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}, {"gone", ""}}
	root := tree(t, map[string]string{
		"a/a.go":            "package a\n\nimport (\n\t\"fmt\"\n\n\t\"m/d\"\n)\n",
		"a/a_test.go":       "package a_test\n\nimport _ \"m/d\"\n",
		"b/b.go":            "package b\n\nimport _ \"m/c\"\nimport _ \"m/a\"\nimport _ \"m/b/kit\"\n",
		"c/c.go":            "package c\n\nimport _ \"m/a\"\nimport _ \"m/c/sub\"\n",
		"c/sub/sub.go":      "package sub\n",
		"d/d.go":            "package d\n\nimport _ \"m/b\"\nimport _ \"m/c\"\n",
		"b/kit/kit.go":      "package kit\n",
		"new/new.go":        "package new\n\nimport _ \"m/d\"\n",
		"d/testdata/bad.go": "package none\n\nimport _ \"m/new\"\n",
	})
	h := &house{layers, []Exception{{"d", "c", "they are separate"}}, []string{"b/kit"}}
	found, err := h.imports(root, "m")
	same(t, found, err,
		`a/a.go:6: package a imports d: layer d comes after layer a; move the shared code down`,
		`b/b.go:3: package b imports c: layer c comes after layer b`,
		`b/b.go:5: package b imports b/kit, which is for tests only`,
		`d/d.go:4: package d must not import c: they are separate`,
		`layer gone of internal/lint/floors.go has no package`,
		`package new is in no layer`)
}

func TestLinesFail(t *testing.T) {
	wide := strings.Repeat("x", maxColumns-tabColumns-3)
	root := tree(t, map[string]string{
		"a.go": "package a\n\n\t// " + wide + "\n\t// " + wide + "y\n// " +
			strings.Repeat("é", maxColumns-3) + "\n",
		"known.go": "// " + wide + wide, "fine.go": "package a\n",
		"testdata/wide.go": "// " + wide + wide + "\n",
		"wide.md":          wide + wide,
	})
	found, err := lines(root, []string{"known.go", "fine.go"})
	same(t, found, err, "a.go:4: the line is 121 columns wide, want at most 120 (a tab is 4)",
		"fine.go has no line that is too long any more")
}

func TestFunctionsFail(t *testing.T) {
	long := " {\n" + strings.Repeat("\n", maxLines-1) + "}\n"
	root := tree(t, map[string]string{
		"a.go": "package a\n\ntype s[T any] struct{}\n\nfunc f()" + long + "\nfunc (*s[T]) g()" + long +
			"\nfunc known()" + long + "\nfunc short() {\n" + strings.Repeat("\n", maxLines-2) + "}\n",
	})
	found, err := functions(root, []string{"a.go: known", "a.go: short"})
	same(t, found, err,
		"a.go: short is not too long any more",
		"a.go:5: function f has 81 lines, want at most 80",
		"function s.g has 81 lines")
}

func TestDocumentationFails(t *testing.T) {
	root := tree(t, map[string]string{
		"README.md": `# Head

See [docs](docs/a.md), [more](docs/none.md "title"), [the web](https://example.org/x),
[a part](docs/a.md#two-words), [no part](docs/a.md#three), [here](#head), [out](../x).
<img src="docs/none.png"> CODEcmd/a.goCODE, cmd/b.go, cmd/*.go, cmd/*.c, cmd.F, CODEcmd/sub.NameCODE, cmd/sub/.
FENCE
[in code](none) cmd/none
FENCE
The word /bin/cmd/x and https://cmd/y are no paths of ours, CODEx src="none",
yCODE is code, and cmd/later comes.
`,
		"docs/a.md":     "## Two, words\n\n[up](../README.md) [wrong](README.md) `[not](a-link)`\n",
		"cmd/a.go":      "package a\n",
		"cmd/sub/b.go":  "package b\n",
		"other/none.md": "[no page](of-ours)\n",
	})
	readme := filepath.Join(root, "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	marked := strings.NewReplacer("FENCE", "```", "CODE", "`").Replace(string(text))
	if err := os.WriteFile(readme, []byte(marked), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := documentation(root, []string{"cmd", "docs"}, []string{"cmd/later", "cmd/a.go"})
	same(t, found, err,
		"README.md:3: link docs/none.md: docs/none.md does not exist",
		"README.md:4: link docs/a.md#three: docs/a.md has no heading for #three",
		"README.md:4: link ../x: leads out of the repository",
		"README.md:5: link docs/none.png: docs/none.png does not exist",
		"README.md:3: path docs/none.md does not exist",
		"README.md:5: path docs/none.png does not exist",
		"README.md:5: path cmd/b.go does not exist",
		"README.md:5: path cmd/*.c does not exist",
		"docs/a.md:3: link README.md: docs/README.md does not exist",
		"other/none.md:1: link of-ours: other/of-ours does not exist",
		"path cmd/a.go is there: take it out")
}

func TestProseFails(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	free := "# " + words(31) + "\n\n| " + words(31) + " |\n\n```\n" + words(31) + "\n```\n\n    " + words(31) + "\n\n"
	root := tree(t, map[string]string{
		"README.md":        strings.Repeat("\n", 101),
		"docs/tutorial.md": strings.Repeat("| |\n", 151),
		"docs/a.md": free + words(30) + ". " + words(29) + " `" + words(9) + "`.\nFirst.\n" +
			"See Eq. 3, [a link](https://example.org/a.) and\n" + words(25) + ".\n" +
			"- " + words(16) + "\n- " + words(16) + "\n  " + words(15) + "\n",
		"docs/b.md":               strings.Repeat(words(160)+" |\n", 251),
		"docs/results/a.md":       words(31),
		"configs/first/README.md": "(" + words(31) + ".)\n",
	})
	found, err := prose(root)
	same(t, found, err,
		"README.md:101: the page has 101 lines, want at most 100",
		"docs/a.md:13: the sentence has 31 words, want at most 30: See Eq. 3, [a link] and word",
		"docs/a.md:16: the sentence has 31 words",
		"docs/b.md:251: the page has 251 lines, want at most 250",
		"docs/b.md:1: the sentence has 40160 words",
		"docs/tutorial.md:151: the page has 151 lines, want at most 150",
		"configs/first/README.md:1: the sentence has 31 words",
		"docs: the manual has 40431 words, want at most 40000")
}

func TestQuotesFail(t *testing.T) {
	root := tree(t, map[string]string{"cmd/a/testdata/script/a.txtar": "stdout 'one two three four five'\n" +
		"! stderr 'one two three four five 6 7 \\[one-two\\]'\n" +
		"[short] stderr -count=1 'it''s two.*three four five six'\n" +
		"exec xopt a b c d e f\ngrep 'a1 b1 c1 d1 e1 f1' file\n-- file --\nstdout 'one two three four five six'\n"})
	found, err := quotes(root, 0)
	same(t, found, err, "cmd/a/testdata/script/a.txtar:3: the assertion quotes 6 words")
	if found, err := quotes(root, 1); len(found) > 0 || err != nil {
		t.Error(found, err)
	}
}

func TestOpeningsFail(t *testing.T) {
	root := tree(t, map[string]string{
		"a/a.go": "// Package a is where it is.\npackage a\n\n// A is a number.\nconst A = 1 // of b\n\n" +
			"// b tells\n// something.\nvar b = `// What this is`\n\n// Of returns one.\nfunc Of() {}\n",
		"a/a.c": "/* a is that of b. */\nint a; // How it is\n// b is a.\n// What is a\n/* c is a.\n * What is d. */\n",
		"a/a.v": "    // Of a word.\n    // Those are none.\n",
	})
	found, err := openings(root)
	same(t, found, err,
		`a/a.go:1: the comment begins with "Package a is where"`,
		`a/a.go:7: the comment begins with "b tells"`,
		`a/a.c:1: the comment begins with "a is that of"`,
		`a/a.v:1: the comment begins with "Of a"`)
}

func TestNamesFail(t *testing.T) {
	root := tree(t, map[string]string{"a/a.go": "package a\n\ntype s struct{ end int }\n\nfunc (s) Take() {}\n\n" +
		"func f(over int) (told bool) {\n\ttook := over\n\tvar last s\n\tlast.end = took\n\treturn told\n}\n\n" +
		"func whole() {}\n"})
	found, err := names(root)
	same(t, found, err, "a/a.go:5: the method is called Take", "a/a.go:7: the var is called over",
		"a/a.go:7: the var is called told", "a/a.go:8: the var is called took", "a/a.go:14: the func is called whole")
}

func TestTopFails(t *testing.T) {
	root := tree(t, map[string]string{"cmd/a.go": "", "notes.txt": "", ".hidden": "", "built": "", "old.map.x": "",
		".gitignore": "# made\n/built\n*.map.x\n"})
	found, err := top(root, []string{"cmd"})
	same(t, found, err, "notes.txt stands at the top of the repository, where only cmd do")
}

func TestForeignFails(t *testing.T) {
	root := tree(t, map[string]string{"a/a.go": "", "a/a.cpp": "", "a/c/b.c": "", "a/a.h": ""})
	found, err := foreign(root)
	same(t, found, err, "a/a.cpp stands beside Go files")
}

func TestConflictsFail(t *testing.T) {
	root := tree(t, map[string]string{"docs/a.md": "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> d\n"})
	found, err := conflicts(root)
	same(t, found, err, "docs/a.md:2: conflict of a merge: <<<<<<< HEAD", "docs/a.md:6: conflict of a merge")
}

func TestIDs(t *testing.T) {
	found, err := ids(repository)
	report(t, found, err)
}

func TestIDsFail(t *testing.T) {
	root := tree(t, map[string]string{
		"a/faults/faults.go": "package faults\n\nconst (\n\tOne fault.ID = \"one\"\n" +
			"\tTwo fault.ID = \"two\"\n)\n",
		"internal/fault/shared.go": "package fault\n\nconst (\n\tOther ID = \"one\"\n\tUnused ID = \"unused\"\n)\n",
		"a/a.go":                   "package a\n\nvar _, _, _ = faults.One, faults.Two, fault.Other\n",
	})
	found, err := ids(root)
	same(t, found, err, `internal/fault/shared.go: a/faults/faults.go has the identifier "one", too`,
		`internal/fault/shared.go: nothing uses the identifier "unused"`)
}
