package report

import (
	"fmt"
	"strings"
	clock "time"

	"xopt/flow/profile"
	"xopt/internal/units"
)

// Figures are the measurements of a command, with the facts needed to interpret them.
type Figures struct {
	Title        string
	Shows        string // one sentence with the main figure of the page
	Maker        string // the command without arguments, such as "xbench ring"
	Command      string // complete command line
	Version      string
	About        string // meaning of the figures; an empty line separates paragraphs
	Notes        []string
	Machine      profile.Machine
	Surroundings profile.Surroundings
	Slow         string // description of slow phases of the machine during runs; "" for none
	Parts        []Part // the parts that the terminal shows
}

// Page returns a page of figures. It starts with the subject, the command, the time, and the machine with its
// disturbances. The tables with the meanings of their columns follow, and then the method.
func (f *Figures) Page() *Page {
	c := &f.Surroundings
	p := &Page{Title: f.Title, Summary: f.Shows, Maker: f.Maker, Command: f.Command, Warnings: f.Notes, Facts: []Fact{
		{Label: "Date", Value: moments(c.Began, c.Ended)},
		{Label: "Version", Value: "xopt " + f.Version},
		{Label: "Machine", Value: machineName(&f.Machine)},
		{Label: "Load", Value: disturbance(c)},
		{Label: "Reference", Value: reference(c, f.Slow)},
	}}
	s := Section{ID: "figures"}
	for _, x := range f.Parts {
		s.Parts = append(s.Parts, x)
		if x.Table != nil {
			if l := x.Table.meanings(); l != nil {
				s.Parts = append(s.Parts, Part{List: l})
			}
		}
	}
	p.Sections = []Section{s}
	if f.About != "" {
		method := Section{ID: "method", Title: "Method"}
		for text := range strings.SplitSeq(f.About, "\n\n") {
			text = strings.TrimSpace(text)
			if items, isList := strings.CutPrefix(text, "- "); isList {
				method.Parts = append(method.Parts, Part{List: &List{Items: strings.Split(items, "\n- ")}})
			} else if text != "" {
				method.Parts = append(method.Parts, Part{Text: text})
			}
		}
		p.Sections = append(p.Sections, method)
	}
	return p
}

// moments returns the start and end times.
func moments(began, ended clock.Time) string {
	const day, minute = "2006-01-02 ", "15:04"
	began, ended = began.UTC(), ended.UTC()
	text := began.Format(day + minute)
	switch {
	case began.Format(day) != ended.Format(day):
		text += " to " + ended.Format(day+minute)
	case began.Format(minute) != ended.Format(minute):
		text += " to " + ended.Format(minute)
	}
	return text + " UTC"
}

// disturbance describes the load of other programs on the machine.
func disturbance(c *profile.Surroundings) string {
	text := fmt.Sprintf("other programs used %.2f of the %d processors; the host of a virtual machine and "+
		"interrupts used %.2f processors on average", c.Others, c.Cores, c.Taken)
	if c.Load[0] > 0 || c.Load[1] > 0 {
		text += fmt.Sprintf("; %.1f processes were running or ready at the start, %.1f at the end", c.Load[0],
			c.Load[1])
	}
	if c.Nice != 0 {
		text += fmt.Sprintf("; this command ran with nice %d", c.Nice)
	}
	return text
}

// reference compares the speed of the machine before, after and during the runs. slow describes slow phases during the
// runs.
func reference(c *profile.Surroundings, slow string) string {
	const differ = "; figures may differ on a quiet machine"
	verdict := "the machine was disturbed" + differ
	switch {
	case slow != "":
		verdict = slow + differ
	case c.Quiet():
		verdict = "the machine was quiet"
	}
	return fmt.Sprintf("a fixed workload took %s before and %s after the runs (medians of %d tries); %s",
		units.Time(c.Spins[0].Value), units.Time(c.Spins[1].Value), c.Spins[0].N, verdict)
}

// meanings lists the meanings of columns whose names do not explain them; nil for none.
func (t *Table) meanings() *List {
	var l List
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Meaning != "" {
			l.Items = append(l.Items, strings.ReplaceAll(c.Name, "\n", " ")+": "+c.Meaning)
		}
	}
	if l.Items == nil {
		return nil
	}
	return &l
}
