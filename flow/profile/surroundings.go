package profile

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Surroundings are what the machine did beside something that was measured.
type Surroundings struct {
	Began, Ended time.Time
	Cores        int
	Others       float64    // processors that other programs used, on average
	Taken        float64    // processors that the host of a virtual machine and interrupts took, on average
	Load         [2]float64 // Linux's load average over a minute, at the beginning and at the end; 0 for not known
	Nice         int        // priority of this program: -20 is the highest, 0 the usual
	Spins        [2]Median  // a fixed piece of work before and after, in s
}

// beside is how many reference spins are taken before what is measured, and after it.
const beside = 9

// Observation is what [Observe] began.
type Observation struct {
	watch Watch
	load  float64
	spins []float64
}

// Observe begins to watch the machine.
func Observe() *Observation {
	o := &Observation{load: loadAverage(), spins: spins()}
	o.watch = NewWatch()
	return o
}

// End tells what the machine did since.
func (o *Observation) End() Surroundings {
	c := Surroundings{Began: o.watch.begin, Cores: ThisMachine().Cores, Others: o.watch.Others(),
		Taken: o.watch.Taken(), Load: [2]float64{o.load, loadAverage()}}
	c.Ended = time.Now()
	if raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		c.Nice = 20 - raw // what the system call returns is never negative
	}
	c.Spins = [2]Median{MedianOf(o.spins), MedianOf(spins())}
	return c
}

func spins() []float64 {
	list := make([]float64, beside)
	for i := range list {
		list[i] = ReferenceSpin()
	}
	return list
}

// loadAverage is how many processes ran or wanted to, in the last minute; 0 where Linux does not say.
func loadAverage() float64 {
	var load float64
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &load)
	}
	return load
}

// Quiet reports whether the machine was left alone and the same before and after.
func (c *Surroundings) Quiet() bool {
	low, high := c.Spins[0].Value, c.Spins[1].Value
	return c.Others <= muchOthers && c.Taken <= muchOthers && max(low, high) <= slowSpin*min(low, high)
}
