#!/usr/bin/env bash
# Installs what is missing, builds what users run and tests it; with --full everything that must pass. A step that fails
# does not stop the others; the last line says how many checks passed and failed, and the exit code is 0 only if none
# failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/install.sh

log=build/log
jobs=$(nproc)
passed=0
failed=0
summary=()

usage()
{
    cat <<'END'
usage: packaging/test.sh [--full]
  Format, release build, its tests, an installed copy.
  --full  also sanitizers, fuzzers, static checks, every source compiled alone
END
}

# record NAME PASSED FAILED SECONDS
record()
{
    passed=$((passed + $2))
    failed=$((failed + $3))
    summary+=("$(printf '%-34s %4d passed %4d failed %6d s' "$@")")
}

# check NAME COMMAND...: one check, with its output in a log that is shown if it fails.
check()
{
    local name=$1 file="$log/${1// /-}.log" start=$SECONDS
    shift
    say "$name"
    if "$@" >"$file" 2>&1; then
        record "$name" 1 0 $((SECONDS - start))
        return 0
    fi
    tail -n 60 "$file"
    echo "FAILED: $name (all of it: $file)"
    record "$name" 0 1 $((SECONDS - start))
    return 1
}

# run_ctest NAME PRESET OPTIONS...: tests of the preset, each counted.
run_ctest()
{
    local name=$1 preset=$2 file="$log/ctest-${1// /-}.log" start=$SECONDS counts
    shift 2
    say "$name"
    ctest --preset "$preset" "$@" 2>&1 | tee "$file" || true
    # "100% tests passed, 0 tests failed out of 42"
    counts=$(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$file")
    if [[ -z $counts ]]; then
        record "$name" 0 1 $((SECONDS - start))
        return
    fi
    record "$name" $((${counts#* } - ${counts% *})) "${counts% *}" $((SECONDS - start))
}

build_and_test()
{
    local preset=$1
    check "configure $preset" configure "$preset" || return 0
    check "build $preset" cmake --build --preset "$preset" || return 0
    run_ctest "tests of preset $preset" "$preset" -j "$jobs" -LE fuzz
}

# A fuzzer runs for a fixed time: more of them at once than cores.
run_fuzzers()
{
    run_ctest "fuzzers" asan -j "$((jobs * 6))" -L fuzz
}

check_format()
{
    find app collectors core tests ui -name '*.h' -print0 -o -name '*.cpp' -print0 \
        | xargs -0 clang-format-14 --dry-run -Werror
}

# Every source of core and the command line, a folder at once as the asan preset compiles them, which spares reading the
# headers again and again. (Not the window: the analyzer takes Qt's own ownership for leaks.)
check_tidy()
{
    run-clang-tidy-14 -quiet -checks=-bugprone-suspicious-include -extra-arg=-Wno-unknown-warning-option -j "$jobs" \
        -p build/asan \
        "^$PWD/(build/asan/core/.*/Unity/.*\.cxx|core/.*\.cpp|app/cli_main\.cpp)\$"
}

# Every source alone, without precompiled headers: does it include what it uses, and its header, too? Only read, not
# compiled: clang-tidy does nothing else with a check that finds nothing here.
check_includes()
{
    configure alone
    run-clang-tidy-14 -quiet -checks=-*,misc-definitions-in-headers -j "$jobs" -p build/alone \
        "^$PWD/(app|collectors|core|ui)/.*\.cpp\$"
}

check_install()
{
    rm -rf build/installed
    cmake --install build/release --prefix "$PWD/build/installed"
    build/installed/bin/longpole import build/installed/share/longpole/samples/vgg-w2-500mbit-b25 \
        -o build/installed/sample.longpole
}

print_summary()
{
    say "summary"
    printf '%s\n' "${summary[@]}"
    local skipped
    skipped=$(cat build/*/Testing/Temporary/LastTest.log 2>/dev/null | grep -c '^SKIP ' || true)
    if [[ $skipped -gt 0 ]]; then
        echo "test functions that skipped themselves: $skipped (the large real traces: set LONGPOLE_SHARED)"
    fi
    echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"
    echo "$passed passed, $failed failed"
}

full=no
for argument in "$@"; do
    case $argument in
        --full) full=yes ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

install_packages build test
mkdir -p "$log"
check "format" check_format || true
build_and_test release
check "install" check_install || true
if [[ $full == yes ]]; then
    check "includes" check_includes || true
    build_and_test asan
    run_fuzzers
    check "clang-tidy" check_tidy || true
    build_and_test tsan
fi
print_summary
[[ $failed -eq 0 ]]
