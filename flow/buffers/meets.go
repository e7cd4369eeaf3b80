package buffers

import (
	"fmt"
	"slices"

	"xopt/flow"
)

// unknownMeetings returns, by edge, the reason why the number of waiting elements is unknown, or "". The number is
// unknown if streams fork at one kernel and meet at another kernel without a join. The second kernel chooses between
// the streams depending on data. Static counts are exact, so edges with static counts ignore this reason.
func unknownMeetings(p *flow.Problem) []string {
	app := &p.Application
	list := make([]string, len(app.Edges))
	joins := joinsOf(app)
	var above *ancestors
	for k, into := range edgesTo(app) {
		for _, a := range into {
			for _, b := range slices.Backward(into) {
				one, other := &app.Edges[a], &app.Edges[b]
				if one.ToPort == other.ToPort || joins[a] >= 0 && joins[a] == joins[b] ||
					one.Initial > 0 || other.Initial > 0 {
					continue
				}
				if tooManyForAncestors(app) {
					list[a] = fmt.Sprintf("streams meet at %s without a join, and the application has too many "+
						"kernels to find where they separate; a run may enlarge the buffer", app.Kernels[k].Name)
					break
				}
				if above == nil {
					above = ancestorsOf(app)
				}
				if from := parting(above, one.From, other.From); from >= 0 {
					list[a] = fmt.Sprintf("streams that separate at %s meet at %s without a join: the number of "+
						"waiting elements is unknown; a run may enlarge the buffer", app.Kernels[from].Name,
						app.Kernels[k].Name)
					break
				}
			}
		}
	}
	return list
}

// joinsOf returns the join at the end of each edge, numbered over the entire application; -1 for none.
func joinsOf(app *flow.Application) []int {
	list := make([]int, len(app.Edges))
	for e := range list {
		list[e] = -1
	}
	n := 0
	for k := range app.Kernels {
		for _, j := range app.Kernels[k].Joins {
			for _, port := range j.Ports {
				for _, e := range port.Edges {
					list[e] = n
				}
			}
			n++
		}
	}
	return list
}

// parting returns the last common ancestor of two kernels, which may be one of the kernels; -1 if there is none.
func parting(above *ancestors, a, b int) int {
	last := -1
	for k := range above.common(a, b) {
		if last < 0 || above.has(k, last) {
			last = k
		}
	}
	return last
}
