// Package campaign owns a campaign: many points of one command, computed by workers on one machine
// or on many, which share nothing but a folder.
//
// It stands beside the data's way. A point is a command line that prints JSON. The command that is made a
// campaign of lists the points ([Create]), workers run them ([Work]), and the command shows their answers
// ([Folder.Answers]).
//
// The folder is all there is, and the files of results in it are the truth:
//
//	campaign.json   what is computed, with its hash; written last
//	inputs/         copies of all files that are read: editing the originals changes no point
//	points/         the list of points, many in each file
//	claims/         which worker took which points: 000001.json, 000002.json, …
//	workers/        a file for each worker, with a count that goes up while it lives
//	results/        answers, many in each file: written beside, synced, renamed
//	failed/         what went wrong with a point, a file for each time
//	checkpoints/    a folder for each point in hand that keeps files, for the process that resumes it
//
// Claims are numbered. To take points, a worker reads all claims and results, chooses points that
// are neither done nor in the hand of a live worker, and links its claim to the next number: link
// is atomic on local disks and on NFS, and a worker that comes second reads again. So every claim
// was made in sight of all before it, and points of dead workers, damaged results and new points
// are all the same: points without a result that nobody works on.
//
// Clocks of two machines are never compared. A worker is dead when the count in its file has not
// changed for a while, by the clock of who looks; or, on the same machine, when its process has
// ended.
//
// The rules for shared folders are those of the manual of link(2) and open(2) on NFS.
package campaign
