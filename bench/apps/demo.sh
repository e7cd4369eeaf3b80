#!/bin/sh
# What `make demo` shows, in about two minutes: xopt measures the kernels of a JPEG encoder on this
# machine, searches the best mapping of them to two cores, and runs the mapping that it has found.
# Each command's whole text is kept beside what it writes.
#
#     sh bench/apps/demo.sh XOPT FOLDER      from the folder of the repository
set -eu
xopt=$1 out=$2
app=bench/apps/jpeg
mkdir -p "$out"
if [ -t 1 ]; then # tables as wide as the terminal, though they go to files first
    COLUMNS=$(tput cols 2>/dev/null || echo 100)
    export COLUMNS
fi

# run NAME COMMAND...: shows the command, and keeps what it prints in NAME.txt.
run() {
    name=$1
    shift
    printf '$ xopt %s\n' "$*"
    "$xopt" "$@" >"$out/$name.txt"
}

# part NAME TEXT: shows NAME.txt from the line that begins with TEXT to the next empty one.
part() {
    awk -v text="$2" '
        index($0, text) == 1 { on = shown = 1 }
        $0 == "" && on       { on = 0; print }
        on                   { print }
        END                  { exit !shown }' "$out/$1.txt" ||
        { echo "$out/$1.txt has no line that begins with \"$2\"" >&2; exit 1; }
}

printf '\nMeasure: what each of the 15 kernels of a JPEG encoder takes on this machine, by itself.\n\n'
measure() {
    run calibrate calibrate $app/app.x $app/arch.x --elements 20 --precision 0.05 --budget "$1" \
        -o "$out/jpeg.profile.json"
}
measure 2m || { # a machine so busy that not all was measured by then; what was compiled and measured is kept
    printf '\nOnce more, with longer:\n\n'
    measure 5m
}
part calibrate 'Kernels: '

printf 'Search: which core each of them should run on. Nothing has run together so far.\n\n'
run search search $app/app.x $app/arch.x --profile "$out/jpeg.profile.json" -o "$out/found"
cat "$out/search.txt"
echo

printf 'Deploy: compile the mapping that was found, run it, and look at it.\n\n'
run deploy deploy $app/app.x $app/arch.x "$out/found.1.map.x" --profile "$out/jpeg.profile.json" \
    --elements 300 --sink "$out/pictures.jpg"
cat "$out/deploy.txt"
echo

if grep -q '^Disturbed' "$out/deploy.txt"; then
    printf 'Something else kept the processors busy. Where nothing does the two are a few percent apart, as\n'
    printf 'docs/results/README.md has it of another machine: run it again when this one is quiet.\n\n'
fi
printf 'All of it is in %s: what each command printed (*.txt), the profile, five mappings, 300 pictures.\n' "$out"
