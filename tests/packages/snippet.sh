# snippet.sh, to be sourced: the ten lines of README.md as a program, and what shows that it ran.

# snippet README FILE: the first block of C.
snippet() {
    awk '/^```c$/ { on = 1; next } /^```$/ && on { exit } on' "$1" >"$2"
    grep -q 'int main' "$2"
}

# runs PROGRAM: it ends well, prints a table of four rows of four numbers, and writes z.npy, 1000 x 1000.
runs() {
    local folder
    folder=$(mktemp -d)
    (cd "$folder" && GND_DEVICE=cpu "$1" >printed) || { echo "$1 failed"; return 1; }
    if [ "$(grep -cE '^ ?\[+( *-?[0-9.e-]+){4} *\]+$' "$folder/printed")" != 4 ] ||
        ! head -c 128 "$folder/z.npy" | grep -aq "'<f4'.*(1000, 1000)"; then
        echo "$1 did not print or save what it should:"
        cat "$folder/printed"
        return 1
    fi
    rm -r "$folder"
}
