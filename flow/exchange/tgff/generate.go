package tgff

import (
	"fmt"
	"math/rand/v2"
)

// Degrees contains the maximum numbers of arcs into and out of a task. Generate draws the limits of each task at random
// between 1 and these numbers.
type Degrees struct{ In, Out int }

// Generate draws a graph of n tasks, as TGFF does. It starts with one task, and repeats one of two steps at random. A
// fan-out step adds arcs from the task with the most free arcs to new tasks. A fan-in step adds arcs from several tasks
// with free arcs to one new task. The type of a task is its number. The type of an arc is the type of its target.
func Generate(n int, d Degrees, random *rand.Rand) *Graph {
	g := &Graph{}
	var room []int // free arcs out of each task
	var waits []int
	add := func() int {
		i := len(g.Tasks)
		g.Tasks = append(g.Tasks, Task{Name: fmt.Sprintf("t0_%d", i), Type: i})
		room = append(room, 1+random.IntN(d.Out))
		waits = append(waits, 1+random.IntN(d.In))
		return i
	}
	join := func(from, to int) {
		g.Arcs = append(g.Arcs, Arc{Name: fmt.Sprintf("a0_%d", len(g.Arcs)), From: from, To: to, Type: to})
		room[from]--
	}
	if n > 0 {
		add()
	}
	for len(g.Tasks) < n {
		if random.IntN(2) == 0 {
			maximum := 0
			for i := range room {
				if room[i] > room[maximum] {
					maximum = i
				}
			}
			for range min(1+random.IntN(room[maximum]), n-len(g.Tasks)) {
				join(maximum, add())
			}
			continue
		}
		var open []int
		for i := range room {
			if room[i] > 0 {
				open = append(open, i)
			}
		}
		random.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		to := add()
		for _, from := range open[:min(len(open), waits[to])] {
			join(from, to)
		}
	}
	return g
}
