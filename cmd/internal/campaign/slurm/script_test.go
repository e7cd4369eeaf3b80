package slurm

import (
	"os/exec"
	"strings"
	"testing"
)

// TestScript checks the text that jobs execute: the user's lines unchanged, and words quoted for a shell.
func TestScript(t *testing.T) {
	a := Array{Run: "0123456789", Folder: "/shared/it's; rm -rf $HOME", Logs: "logs", Workers: 4,
		Lines:   "#SBATCH --time=2:00:00\n## --constraint=no\n#SBATCH --constraint=\"intel&avx512\"  # as here\n",
		Command: []string{"printf", `%s\n`, "/shared/it's; rm -rf $HOME", "`id`", "a b", ""}}
	got, err := a.script()
	if err != nil {
		t.Fatal(err)
	}
	want := `#!/bin/sh
#SBATCH --signal=B:USR1@60
#SBATCH --time=2:00:00
## --constraint=no
#SBATCH --constraint="intel&avx512"  # as here
exec 'printf' '%s\n' '/shared/it'\''s; rm -rf $HOME' '` + "`id`" + `' 'a b' ''
`
	if got != want {
		t.Errorf("the script is\n%s\nwant\n%s", got, want)
	}
	run := exec.Command("sh")
	run.Stdin = strings.NewReader(got)
	out, err := run.CombinedOutput()
	if want := "/shared/it's; rm -rf $HOME\n`id`\na b\n\n"; err != nil || string(out) != want {
		t.Errorf("a shell read the words as %q (%v), want %q", out, err, want)
	}
	a.Command = []string{"a\nb"}
	if _, err := a.script(); err == nil {
		t.Error("a name with an end of a line was taken")
	}
}

// TestCheckLines checks lines that are not Slurm's, or that set what the campaign sets itself.
func TestCheckLines(t *testing.T) {
	own := func(option string) string {
		return "line 1 of slurm: the campaign sets " + option + " itself; remove this option"
	}
	for lines, want := range map[string]string{
		"#SBATCH -t 10\n#SBATCH --signal=B:USR1@120\n# why\n\n": "",
		"#SBATCH -t 10\nmodule load x": `line 2 of slurm: "module load x" ` +
			"is not an #SBATCH line",
		"#SBATCH --array=0-7":   own("--array"),
		"#SBATCH -o log -Jname": own("--output") + "\n" + own("--job-name"),
		"#SBATCH hetjob": "line 1 of slurm: a heterogeneous job cannot be an array; choose nodes with " +
			"--constraint",
	} {
		err := CheckLines(lines)
		if got := errorText(err); got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
