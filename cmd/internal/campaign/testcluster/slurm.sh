#!/usr/bin/env bash
# slurm.sh runs a private Slurm on this machine: munged, slurmctld and some slurmd in one folder, on free ports,
# without systemd, accounting or root (https://slurm.schedmd.com/programmer_guide.html#multiple_slurmd).
#   slurm.sh up DIR [NODES]     start a cluster in a new folder, and print the settings for a shell
#   slurm.sh down DIR           stop the cluster and its jobs, and remove the folder
#   slurm.sh start DIR DAEMON   start slurmctld, or the slurmd of a node by the node's name
#   slurm.sh kill DIR DAEMON    kill munged or the slurmd of a node, as a fault would; slurmctld first saves its jobs
set -euo pipefail
PATH=$PATH:/usr/sbin:/usr/local/sbin:/sbin
dir=$(realpath -m "$2") conf=$(realpath -m "$2")/slurm.conf
unset "${!SLURM_@}"

daemon() { # starts a program that becomes a daemon; own finds it by the variable XOPT_CLUSTER
	XOPT_CLUSTER=$dir setsid "$@" >>"$dir/log/start.log" 2>&1 </dev/null || { cat "$dir/log/start.log" >&2; exit 1; }
}
start() {
	case $1 in
	slurmctld) daemon slurmctld -f "$conf" ;;
	*) daemon slurmd -f "$conf" -N "$1" ;;
	esac
}
own() { # prints the processes of the cluster or of a daemon; a job has SLURM_CONF and an id, and its step a log file
	local all=/proc/[0-9]*/environ p
	for p in $(grep -lzxsF "XOPT_CLUSTER=$dir" $all) \
		$(grep -lzxsF "SLURM_CONF=$conf" $all | xargs -r grep -lzs '^SLURM_JOB_ID=') \
		$(find /proc/[0-9]*/fd/3 -lname "$dir/log/*" 2>/dev/null); do
		p=${p#/proc/} p=${p%%/*}
		if [ -z "${1-}" ] ||
			tr '\0' ' ' 2>/dev/null <"/proc/$p/cmdline" | grep -qE "^([^ ]*/)?($1 |slurmd .*-N $1 $)"; then
			echo "$p"
		fi
	done
}
end() { # ends all daemons or one by a signal, and waits until no process is left and the ports are free
	local ids
	for _ in $(seq 2000); do
		ids=$(own "${1-}" | grep -vx $$) || return 0
		kill -s "${2-KILL}" $ids 2>/dev/null || :
		sleep 0.05
	done
	echo "processes of the cluster in $dir do not end: $ids" >&2
	exit 1
}
port() { # prints a port without a listener
	local p
	while p=$((20000 + RANDOM % 12000)) && grep -qis ":$(printf %04X $p) " /proc/net/tcp; do :; done
	echo $p
}
up() {
	local host nodes=${1:-4}
	host=$(hostname -s)
	[ ${#dir} -le 80 ] || { echo "the path $dir is too long for a socket: at most 80 characters" >&2; exit 1; }
	mkdir -m 711 "$dir" # munged requires a socket path that is accessible to all
	mkdir "$dir/state" "$dir/log" "$dir/spool"
	head -c 128 /dev/urandom >"$dir/munge.key"
	chmod 600 "$dir/munge.key"
	# Short times show faults within seconds. KillWait is the time between SIGTERM and SIGKILL, SlurmdTimeout the time
	# until a silent node is down, and cred_expire the time until a requeued job may start again.
	cat >"$conf" <<-END
		ClusterName=xopt
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/munge
		CredType=cred/munge
		AuthInfo=socket=$dir/munge.sock,cred_expire=6
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool/%n
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmdPidFile=$dir/%n.pid
		SlurmctldLogFile=$dir/log/slurmctld.log
		SlurmdLogFile=$dir/log/%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SlurmdParameters=config_overrides
		ReturnToService=2
		SlurmctldPort=$(port)
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SchedulerParameters=sched_interval=2,sched_min_interval=100000,bf_interval=2
		KillWait=5
		SlurmdTimeout=10
		MessageTimeout=20
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		$(for n in $(seq "$nodes"); do
			echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1 Port=$(port) CPUs=1 State=UNKNOWN"
		done)
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	trap 'end; rm -rf "$dir"' ERR EXIT
	daemon munged --num-threads=4 --socket="$dir/munge.sock" --key-file="$dir/munge.key" \
		--pid-file="$dir/munged.pid" --log-file="$dir/log/munged.log" --seed-file="$dir/munged.seed"
	start slurmctld
	for n in $(seq "$nodes"); do start "n$n"; done
	for _ in $(seq 1800); do
		if [ "$(SLURM_CONF=$conf sinfo -h -N -o %T 2>/dev/null | grep -c idle)" = "$nodes" ]; then
			trap - ERR EXIT
			printf '# Slurm runs with %d nodes; to use it in this shell:\nexport SLURM_CONF=%s\n' "$nodes" "$conf"
			return
		fi
		sleep 0.1
	done
	echo "the nodes of the cluster in $dir did not come up in 3 minutes; see $dir/log" >&2
	exit 1
}

case $1 in
up) up "${3-}" ;;
down)
	[ -e "$dir/munge.key" ] || { echo "there is no cluster in $dir" >&2; exit 1; }
	end
	rm -rf "$dir" ;;
start) start "$3" ;;
# A controller that dies within seconds of a job's start has not saved the job. The next controller restarts the job
# with its old id. If the first start of the job is still running, Slurm reports a fault of the node ("Duplicate
# jobid") and never uses the node again.
kill) if [ "$3" = slurmctld ]; then end "$3" TERM; else end "$3"; fi ;;
*) sed -n '2,/^set/{/^#/p}' "$0" >&2; exit 2 ;;
esac
