#!/usr/bin/env bash
# Installs what is missing, builds, and runs the main job on the bundled real sample: in the window where there is a
# display, else on the command line with the results in out/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/install.sh

sample=resources/samples/vgg-w2-500mbit-b25
bin=build/release/bin
project=out/sample.longpole

usage()
{
    cat <<'END'
usage: packaging/run.sh [--headless] [--install-only]
  --headless      no window, even where there is a display
  --install-only  install the Debian packages and stop
END
}

# True if an X server answers at $DISPLAY (":0", ":0.0", "host:10.0").
has_x_display()
{
    [[ ${DISPLAY:-} =~ ^([^:]*):([0-9]+) ]] || return 1
    local host=${BASH_REMATCH[1]} number=${BASH_REMATCH[2]}
    if [[ -z $host || $host == unix ]]; then
        [[ -S /tmp/.X11-unix/X$number ]]
    else
        timeout 3 bash -c "exec 3<>/dev/tcp/$host/$((6000 + number))" 2>/dev/null
    fi
}

has_wayland_display()
{
    [[ -n ${WAYLAND_DISPLAY:-} && -S ${XDG_RUNTIME_DIR:-/nonexistent}/$WAYLAND_DISPLAY ]]
}

build()
{
    say "building the programs and the collectors (preset release)"
    mkdir -p build/log
    configure release >build/log/configure.log 2>&1 \
        || { tail -n 20 build/log/configure.log >&2; fail "cmake failed (see above and build/log/configure.log)"; }
    cmake --build --preset release --target longpole longpole-ui longpole_cupti nccl-profiler-longpole \
        || fail "the build failed (see above). If a package is missing, run: rm -rf build/release, and then this again"
}

# What `longpole profile` loads into a training job. None of them is built from headers of CUDA, NCCL or PyTorch.
show_collectors()
{
    say "collectors, found by \`$bin/longpole profile\` (by hand: collectors/RECORDING.md):"
    ls -1 build/release/lib/liblongpole_cupti.so build/release/lib/libnccl-profiler-longpole.so
    ls -1d build/release/share/longpole/collectors/pytorch
}

# Exit code 3 means: done, but some input was skipped. The program has said which.
longpole()
{
    local code=0
    "$bin/longpole" "$@" || code=$?
    [[ $code -eq 0 || $code -eq 3 ]] || fail "'longpole $*' failed with exit code $code"
}

import_sample()
{
    say "importing $sample"
    mkdir -p out
    rm -f "$project" "$project"-wal "$project"-shm
    longpole import "$sample" -o "$project"
}

# overview TITLE ARGS...: what the command prints, to the terminal and to out/overview.txt
overview()
{
    say "$1" | tee -a out/overview.txt
    shift
    longpole "$@" | tee -a out/overview.txt
}

run_headless()
{
    rm -f out/overview.txt
    overview "what was imported" info "$project"
    overview "where the time goes" diagnose "$project"
    overview "replay of the unchanged trace" replay "$project"
    overview "what if: gradient buckets of 5 MiB instead of 25" replay "$project" --set bucket_cap_mb=5
    overview "what if: a network twice as fast" replay "$project" --set bandwidth_scale=2
    longpole diagnose "$project" --json >out/diagnose.json
    longpole replay "$project" --json >out/replay.json
    longpole replay "$project" --set bucket_cap_mb=5 --json >out/what_if.json
    longpole export-trace "$project" -o out/timeline.json.gz
    say "rendering screenshots"
    QT_QPA_PLATFORM=offscreen "$bin/longpole-ui" "$project" --size 1600x900 --set bucket_cap_mb=5 \
        --screenshot summary=out/summary.png --screenshot timeline=out/timeline.png \
        --screenshot timeline-critical=out/critical_path.png --screenshot compare=out/what_if.png \
        || fail "longpole-ui could not render the screenshots"
    say "done; results:"
    ls -1 out/overview.txt out/*.json out/*.json.gz out/*.png "$project"
    show_collectors
}

run_window()
{
    show_collectors
    say "opening the window (the same without a window: packaging/run.sh --headless)"
    "$bin/longpole-ui" "$project" || { say "the window did not open; going on without it"; run_headless; }
}

headless=no
install_only=no
for argument in "$@"; do
    case $argument in
        --headless) headless=yes ;;
        --install-only) install_only=yes ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

purposes=(build)
if [[ $headless == no ]] && has_wayland_display && ! has_x_display; then
    purposes+=(wayland)
fi
install_packages "${purposes[@]}"
[[ $install_only == no ]] || exit 0
build
import_sample
if [[ $headless == no ]] && { has_x_display || has_wayland_display; }; then
    run_window
else
    run_headless
fi
