// Package slurm has Slurm start the workers of a campaign: it submits one array of them, says which are left, starts
// those again that end before the work does, and cancels them.
//
// What it asks Slurm is a hint and never the truth, which is in the files of results: Slurm forgets jobs that have
// ended, says of a job that was requeued that it was preempted, and gives its numbers to other jobs. So jobs are known
// by the run's own id, which is their name and their comment; nothing is looked up by a job's number but by the job
// itself. A worker asks Slurm only when it ends, and who watches asks once a minute (Slurm's guide for users:
// "Do not run squeue ... in loops").
//
// The rules are those of the manuals of sbatch, squeue, scontrol and scancel, versions 22.05 to 25.05.
package slurm
