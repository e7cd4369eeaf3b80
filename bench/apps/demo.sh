#!/bin/sh
# The demonstration of `make demo` takes about two minutes. xopt measures the kernels of a JPEG encoder on
# this machine, searches the best mapping to two cores, and runs the mapping that it found.
# The folder contains the complete output of each command.
#
#     sh bench/apps/demo.sh XOPT FOLDER      from the folder of the repository
set -eu
xopt=$1 out=$2
app=bench/apps/jpeg
mkdir -p "$out"
if [ -t 1 ]; then # the width of tables, although the output goes to a file first
    COLUMNS=$(tput cols 2>/dev/null || echo 100)
    export COLUMNS
fi

# run NAME COMMAND...: prints the command, runs it, and writes its output to NAME.txt.
run() {
    name=$1
    shift
    printf '$ xopt %s\n' "$*"
    "$xopt" "$@" >"$out/$name.txt"
}

# part NAME TEXT: prints NAME.txt from the line that begins with TEXT to the next empty line.
part() {
    awk -v text="$2" '
        index($0, text) == 1 { on = shown = 1 }
        $0 == "" && on       { on = 0; print }
        on                   { print }
        END                  { exit !shown }' "$out/$1.txt" ||
        { echo "$out/$1.txt contains no line that begins with \"$2\"" >&2; exit 1; }
}

printf '\nMeasure: the service time of each of the 15 kernels of a JPEG encoder, alone on this machine.\n\n'
measure() {
    run calibrate calibrate $app/app.x $app/arch.x --elements 20 --precision 0.05 --budget "$1" \
        -o "$out/jpeg.profile.json"
}
measure 2m || { # a busy machine: the second call measures only the missing kernels
    printf '\nThe machine is busy: measure the missing kernels with more time.\n\n'
    measure 5m
}
part calibrate 'Kernels: '

printf 'Search: the best core for each kernel. The kernels have not run together so far.\n\n'
run search search $app/app.x $app/arch.x --profile "$out/jpeg.profile.json" -o "$out/found"
cat "$out/search.txt"
echo

printf 'Deploy: compile the best mapping, run it, and measure it.\n\n'
run deploy deploy $app/app.x $app/arch.x "$out/found.1.map.x" --profile "$out/jpeg.profile.json" \
    --elements 300 --sink "$out/pictures.jpg"
cat "$out/deploy.txt"
echo

if grep -q '^Disturbed' "$out/deploy.txt"; then
    printf 'Other programs used the processors during the run. On a quiet machine, the prediction and the\n'
    printf 'measurement differ by a few percent (docs/results/README.md). Repeat the demo on a quiet machine.\n\n'
fi
printf 'Folder %s contains the output of each command (*.txt), the profile, five mappings and 300 pictures.\n' "$out"
