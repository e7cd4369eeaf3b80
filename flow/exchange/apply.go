package exchange

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// These are the formats of an export.
const (
	formatSDF3      = "sdf3"
	formatTGFF      = "tgff"
	formatGStreamer = "gstreamer"
	formatAffinity  = "affinity"
)

// Formats lists the formats of an export.
func Formats() []string { return []string{formatSDF3, formatTGFF, formatGStreamer, formatAffinity} }

// NeedsMapping reports whether an export in a format needs a design with a mapping.
func NeedsMapping(format string) bool { return format == formatGStreamer || format == formatAffinity }

// Write returns a function that writes a design in a format. It also returns notes about features that the format
// cannot represent. unit is the unit of times; 0 means the usual unit of the format.
func Write(ctx context.Context, d *design.Design, format string, unit time.Duration) (func(io.Writer) error,
	[]fault.Note, error) {
	if unit == 0 {
		unit = time.Microsecond
		if format == formatTGFF {
			unit = time.Second
		}
	}
	comment := fmt.Sprintf("Exported by xopt from %s", d.Program.Top)
	switch format {
	case formatGStreamer:
		return queues(ctx, d, comment)
	case formatAffinity:
		return affinity(d, comment)
	case formatTGFF:
		file, notes, err := ToTGFF(d, unit)
		return func(w io.Writer) error {
			if _, err := fmt.Fprintf(w, "# %s; one time unit is %s\n\n", comment, UnitText(unit)); err != nil {
				return err
			}
			return file.Write(w)
		}, notes, err
	}
	file, notes, err := ToSDF3(d, unit)
	comment = strings.ReplaceAll(comment, "--", "__")
	return func(w io.Writer) error {
		return file.Write(w, fmt.Sprintf("%s; one time unit is %s", comment, UnitText(unit)))
	}, notes, err
}

// lines returns a function that writes a comment and the given lines.
func lines(comment string, list []string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# %s\n%s\n", comment, strings.Join(list, "\n"))
		return err
	}
}

// queues lists the queue elements of GStreamer for the edges between different resources, with recommended sizes.
// queues changes names that need quotes in a shell.
func queues(ctx context.Context, d *design.Design, comment string) (func(io.Writer) error, []fault.Note, error) {
	_, _, sizes, err := buffers.VerifiedOf(ctx, d.Problem, d.Mapping)
	if err != nil {
		return nil, nil, err
	}
	app := &d.Problem.Application
	given, changed := newNames(), &Application{}
	var list, kernels []string
	for k := range app.Kernels {
		kernels = append(kernels, given.unusedName(strings.TrimPrefix(app.Kernels[k].Name, app.Name+".")))
	}
	for e := range app.Edges {
		edge := &app.Edges[e]
		if d.Mapping.Place[edge.From] == d.Mapping.Place[edge.To] {
			continue
		}
		n := math.Ceil(sizes[e].Elements)
		if !(n >= 1 && n <= math.MaxInt32) {
			n = 0 // unlimited
		}
		name := given.unusedName(strings.TrimPrefix(edge.Name, app.Name+"."))
		list = append(list, fmt.Sprintf("%s ! queue name=%s max-size-buffers=%.0f max-size-bytes=0 "+
			"max-size-time=0 ! %s", kernels[edge.From], name, n, kernels[edge.To]))
	}
	given.addNote(changed, "kernels and edges")
	notes := changed.Notes
	if n := len(app.Edges) - len(list); n > 0 {
		notes = append(notes, faults.LeftOut.Notef("%s within one resource: a queue there is not necessary",
			units.Counted(n, "edge is", "edges are")))
	}
	return lines(comment+": WRITER ! queue ! READER, with recommended sizes", list), notes, nil
}

// affinity lists each kernel with its processor, separated by a tab.
func affinity(d *design.Design, comment string) (func(io.Writer) error, []fault.Note, error) {
	app, list := &d.Problem.Application, []string{}
	var notes []fault.Note
	assumed, fpgas := 0, 0
	for k := range app.Kernels {
		r := d.Mapping.Place[k]
		if !design.IsCore(d.Program, r) {
			fpgas++
			continue
		}
		cpu, named := design.Processor(&d.Program.Resources[r])
		if !named {
			for i := range r {
				if design.IsCore(d.Program, i) {
					cpu++
				}
			}
			assumed++
		}
		list = append(list, fmt.Sprintf("%s\t%d", strings.TrimPrefix(app.Kernels[k].Name, app.Name+"."), cpu))
	}
	if assumed > 0 {
		notes = append(notes, faults.ProcessorsAssumed.Notef("the cores of %s have no cpu, so the table numbers "+
			"cores from 0 "+
			"in the order of the architecture (state cpu=N)", units.Counted(assumed, "kernel", "kernels")))
	}
	if fpgas > 0 {
		notes = append(notes, faults.LeftOut.Notef("%s on FPGAs omitted", units.Counted(fpgas, "kernel is",
			"kernels are")))
	}
	return lines(comment+": kernel, processor", list), notes, nil
}
