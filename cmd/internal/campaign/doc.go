// Package campaign manages campaigns: many points of one command, computed by workers on one or more machines that
// share only a folder.
//
// A point is a command line that prints JSON. The command lists the points ([Create]), workers run them ([Work]), and
// the command shows their answers ([Folder.Answers]).
//
// The folder contains the complete state, and its result files are authoritative:
//
//	campaign.json   the campaign, with its hash; written last
//	inputs/         copies of all input files, so later edits of the originals have no effect
//	points/         the list of points, many in each file
//	claims/         the points that each worker claimed: 000001.json, 000002.json, …
//	workers/        a file for each worker, with a count that increases while it lives
//	results/        results, many in each file: written to a temporary file, synced, renamed
//	failed/         the failures of points, a file for each
//	checkpoints/    a folder for each point in progress that writes files, to resume it
//
// Claims are numbered. To claim points, a worker reads all claims and results, and selects points that are neither
// finished nor in progress at a live worker. It links its claim to the next number, which is atomic on local disks and
// on NFS. If another worker was first, it reads again. Every claim is therefore made with knowledge of all earlier
// ones. The package treats points of dead workers, damaged results and new points alike, as points without a result
// that no worker computes.
//
// It never compares clocks of different machines. A worker is dead if the count in its file has not changed for some
// time by the observer's clock or, on the same machine, if its process has ended.
//
// The rules for shared folders follow the manuals of link(2) and open(2) on NFS.
package campaign
