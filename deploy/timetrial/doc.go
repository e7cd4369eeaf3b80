// Package timetrial reads the TimeTrial language (Lancaster 2011 §3.4, Fig. 3.4):
// statements that ask for measurements of the edges of a streaming application,
// and statements that must hold while it runs.
//
//	m1: measure rate at e1;
//	m2: measure hist(bins=32) occupancy at Convert.out -> FFT.in;
//	m3: measure mean latency at ReadEvent.out ... Merge.in;
//	m4: measure rate at FFT.in when (occupancy at FFT.in > 0 & !backpressure at FFT.out);
//	a1: assert m1 >= 100 Mtps | util at FFT.in < 0.5;
//
// It stands between the language of applications and whatever measures: it checks
// that names exist and that statements mean something, and says of each quantity
// whether it has one value for a frame or one for each element. How that is
// measured is not its business.
//
// Where the thesis leaves the meaning open, this holds:
//
//   - A target is an edge, a port or kernel with one edge there, both ends of an
//     edge, or, for latency, a path: A.out ... D.in, with stations between where
//     there are several ways. At a kernel's input, rates count what it takes, else
//     what is sent.
//   - A link, alone or with the resource that its packets go to or come from, is a
//     target of rate, size and latency, which are those of packets. The thesis's
//     statements know edges only.
//   - rate, util and backpressure have one value for a frame. A statistic of them
//     is an error (Table 4.1).
//   - occupancy, latency and value have one for each element. In an expression,
//     with a statistic, they have one for a frame. Without, the expression is
//     evaluated for each element that is sampled; backpressure alone, without a
//     comparison, is whether the writer waits at that moment.
//   - ! binds before &, and & before |; and, or and not may be written for them.
//   - A number without a unit is in seconds, in elements/s, or plain.
package timetrial
