package program

import (
	"fmt"
	"strings"
	"testing"

	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestPins: cores that name a processor get it, the others share the remaining ones.
func TestPins(t *testing.T) {
	cpus := processors(0)
	if len(cpus) < 2 {
		t.Skip("this needs two processors")
	}
	a, b := cpus[0], cpus[1]
	for _, c := range []struct {
		name, cores string
		cpus        int
		want        string // processors of core 1 and 2, or a problem
	}{
		{"in turn", "resource proc[2] is C;", 0, fmt.Sprint([]int{a, b})},
		{"crossed", fmt.Sprintf("resource proc[2] is C (cpu=[%d, %d]);", b, a), 0, fmt.Sprint([]int{b, a})},
		{"the first pinned", fmt.Sprintf("resource proc[2] is C (cpu=[%d, -1]);", b), 0, fmt.Sprint([]int{b, a})},
		{"both on one", fmt.Sprintf("resource proc[2] is C (cpu=%d);", b), 0, fmt.Sprint([]int{b, b})},
		{"fewer than named", fmt.Sprintf("resource proc[2] is C (cpu=[%d, %d]);", b, a), 1, fmt.Sprint([]int{a, a})},
		{"not there", "resource proc[2] is C (cpu=[65000, 65001]);", 0, "cpu of resource proc[1] is 65000"},
	} {
		app := strings.Replace(testkit.Read(t, pipeline+"/app.x"), "resource proc[2] is C;", c.cores, 1)
		if !strings.Contains(app, c.cores) {
			t.Fatalf("the application has changed:\n%s", app)
		}
		dir := testkit.Copy(t, pipeline, map[string]string{"app.x": app})
		d := flowtest.X{Files: []string{"app.x"}, Dir: dir + "/"}.Design(t, design.Options{Purpose: design.ForDeploy})
		x, err := Describe(d, Options{CPUs: c.cpus})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if got := fmt.Sprint([]int{x.Processes[0].Processor, x.Processes[1].Processor}); got != c.want {
			t.Errorf("%s: processors %s, want %s", c.name, got, c.want)
		}
	}
}
