package timeline

import (
	"fmt"
	"strings"

	"xopt/internal/safetext"
	"xopt/mapper/result"
)

// about says what the timeline is of: the program, the command, the mapping and the machine.
func about(r *result.Result) map[string]string {
	m := r.Measured
	list := map[string]string{"application": r.Application, "program": r.Tool + " " + r.Version,
		"command": safetext.ShellLine(r.Command), "mapping": mapping(r), "machine": machine(r),
		"times": "measured, in us since the start of the run", "run that did not end by itself": m.Partial,
		"disturbed": m.Disturbed}
	if m.Simulated != "" {
		list["times"] = "virtual, of " + m.Simulated
	}
	for key, text := range list {
		if list[key] = safetext.Line(text); text == "" {
			delete(list, key)
		}
	}
	return list
}

// mapping says which kernels run where.
func mapping(r *result.Result) string {
	var parts []string
	for _, res := range r.Architecture {
		var names []string
		for _, p := range r.Measured.Place {
			if p.Resource == res.Name {
				names = append(names, p.Kernel)
			}
		}
		if len(names) > 0 {
			parts = append(parts, res.Name+": "+strings.Join(names, " "))
		}
	}
	return strings.Join(parts, "; ")
}

// machine says on what the run was made.
func machine(r *result.Result) string {
	m := &r.Measured.Machine
	if m.CPU == "" {
		return ""
	}
	return fmt.Sprintf("%s, %d processors, %s", m.CPU, m.Cores, m.Kernel)
}
