#!/usr/bin/env bash
# outputs.sh NAME [BUILD]: runs the course's programs at their own sizes, on the devices that GND_DEVICE lets
# them see, and keeps what they print where the guide's pages include it: docs/guide/course/outputs/NAME/. The guide
# has `cpu` (GND_DEVICE=cpu) and `h200`. BUILD is the folder that ./dev build built into. PROGRAMS in the
# environment names those to run, OUTPUTS another folder for the results.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
name=${1:?usage: examples/outputs.sh NAME [BUILD]}
build=${2:-build}
out=${OUTPUTS:-docs/guide/course/outputs}/$name
mkdir -p "$out"
failed=0
for source in examples/[0-9][0-9]_*.c; do
    program=$(basename "$source" .c)
    case " ${PROGRAMS:-$program} " in *" $program "*) ;; *) continue ;; esac
    start=${EPOCHREALTIME/./}
    if "$build/examples/$program" >"$out/$program.tmp"; then
        mv "$out/$program.tmp" "$out/$program.txt"
    else
        echo "$program ended with $?" >&2
        rm -f "$out/$program.tmp"
        failed=1
    fi
    printf '%-24s %6d ms\n' "$program" $(((${EPOCHREALTIME/./} - start) / 1000))
done
exit $failed
