// Package cluster runs a Slurm of its own on this machine: munged, slurmctld and a few slurmd in one folder, on free
// ports, without systemd, accounting or a change to the system. Tests of campaigns use it, and whoever wants to try
// one (make slurm-up). The configuration follows the guide for several slurmd on one host,
// https://slurm.schedmd.com/programmer_guide.html#multiple_slurmd.
package cluster
