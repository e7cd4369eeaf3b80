// Package sim owns what the equations of package queueing are checked against: stations in
// series run event by event ([Simulate]), and closed forms that no prediction uses: the
// station with room for K elements ([MM1K]), the time through stations in series
// ([PathLatency], [PathQuantile]) and the rate that a class sees of a shared server
// ([SharedServiceRate]).
//
// It stands beside the data's way: only tests import it. The simulation also stands in where
// no equation holds, as in the virtual queues of Lancaster 2011, ch. 5.
package sim
