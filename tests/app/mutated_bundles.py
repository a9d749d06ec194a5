#!/usr/bin/env python3
"""Damages recordings and runs the program on them: no crash, no hang, memory within the limit.

    mutated_bundles.py build/release/bin/longpole ../shared/data/real ../shared/faults --count 2000
    mutated_bundles.py build/release/bin/longpole SAME FOLDERS --only 17 --keep /tmp/bundle17

A bundle is made from its number and --seed alone: the second line makes bundle 17 again.
"""
import argparse
import collections
import concurrent.futures
import functools
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zlib

EVENT_LISTS = ("traceEvents", "nodes", "events")
ODD_VALUES = (0, -1, 1, 255, 2**31, 2**53 + 1, 2**63, -2**63, 2**64, 10**30, 0.5, 1e-300, 1e308,
              -1e308, "", "0", "-1", "rank", "\u0000", "\ud83d\ude80", "x" * 5000, None, True, [],
              {}, [[[]]], {"a": {"b": []}})
COMMANDS = (("info",), ("diagnose",), ("replay", "--set", "compute_scale=2"))
WATCHED = ("Sanitizer", "runtime error:", "terminate called", "Assertion")


class Source:
    """A recording that mutants are made of; `document` is its JSON where it has one."""

    def __init__(self, name, data, document):
        self.name, self.data, self.document = name, data, document

    def events(self):
        return events_of(self.document)


def events_of(document):
    """The largest list of events of a JSON document, None without one."""
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        lists = [document[key] for key in EVENT_LISTS if isinstance(document.get(key), list)]
        return max(lists, key=len, default=None)
    return None


def unpacked(data, limit):
    """At most `limit` bytes of what a .gz holds, of other files of themselves."""
    if data[:2] != b"\x1f\x8b":
        return data[:limit]
    try:
        return zlib.decompressobj(31).decompress(data, limit)
    except zlib.error:
        return data[:limit]


def shortened(document, most):
    """The document with a window of its events, and all its metadata."""
    events = events_of(document)
    if events is not None and len(events) > most:
        metadata = [e for e in events[most:] if isinstance(e, dict) and e.get("ph") == "M"]
        events[:] = events[:most] + metadata[:most]
    return document


@functools.lru_cache(maxsize=48)
def load(root, path, limit, most_events):
    with open(os.path.join(root, path), "rb") as file:
        packed = file.read()
    name = path[:-3] if path.endswith(".gz") else path
    data, document = unpacked(packed, limit), None
    if data[:16].lstrip()[:1] in (b"{", b"["):
        try:
            document = shortened(json.loads(unpacked(packed, 20 * limit)), most_events)
            data = json.dumps(document).encode()
        except (ValueError, RecursionError):
            document = None
    return Source(name, data, document)


@functools.lru_cache(maxsize=1)
def find_groups(roots):
    """Folders that hold files of one run, each with the paths of its files."""
    groups = []
    for root in roots:
        found = collections.defaultdict(list)
        for folder, folders, files in os.walk(root):
            folders.sort()
            relative = os.path.relpath(folder, root)
            for name in sorted(files):
                if not name.endswith((".md", ".py")):
                    found["/".join(relative.split("/")[:2])].append(os.path.join(relative, name))
        groups += [(root, group, paths) for group, paths in sorted(found.items())]
    return groups


# Mutations of bytes

def flip(rng, data, _):
    for _ in range(rng.choice((1, 2, 8, 64))):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def overwrite(rng, data, _):
    at = rng.randrange(len(data) + 1)
    data[at:at + rng.choice((1, 4, 8, 100, 5000))] = rng.choice(
        (rng.randbytes(8), b"\xff" * 8, bytes(8), b"\xff" * 4096, bytes(4096)))


def remove(rng, data, _):
    at = rng.randrange(len(data) + 1)
    del data[at:at + rng.choice((1, 2, 16, 512, 4096, 100000))]


def repeat(rng, data, _):
    at = rng.randrange(len(data) + 1)
    block = data[at:at + rng.choice((1, 16, 512, 4096, 100000))]
    where = rng.randrange(len(data) + 1)
    data[where:where] = block * rng.choice((1, 1, 3, 20))


def truncate(rng, data, _):
    del data[rng.randrange(len(data) + 1):]


def splice(rng, data, other):
    del data[rng.randrange(len(data) + 1):]
    data += other.data[rng.randrange(len(other.data) + 1):]


def mix_lines(rng, data, _):
    lines = data.splitlines(keepends=True)
    mix_list(rng, lines)
    data[:] = b"".join(lines)


def append_other(rng, data, other):
    data += rng.choice((b"", b"\n", b",")) + other.data


BYTE_MUTATIONS = (flip, flip, overwrite, remove, repeat, truncate, splice, mix_lines, append_other)


# Mutations of lists of events

def mix_list(rng, items):
    """Moves, doubles, drops or shuffles a run of a list."""
    begin = rng.randrange(len(items) + 1)
    length = rng.choice((1, 3, 30, 1000))
    run = items[begin:begin + length]
    kind = rng.randrange(6)
    if kind in (0, 1):
        del items[begin:begin + length]
    if kind in (0, 2):
        where = rng.randrange(len(items) + 1)
        items[where:where] = run
    elif kind == 3:
        rng.shuffle(run)
        items[begin:begin + length] = run
    elif kind == 4:
        items.reverse()
    elif kind == 5:
        rng.shuffle(items)


def some_events(rng, events):
    """A few events of a list, or all of one name."""
    dicts = [event for event in events if isinstance(event, dict)]
    if not dicts:
        return []
    if rng.random() < 0.5:
        return rng.sample(dicts, min(len(dicts), rng.choice((1, 3, 50))))
    name = rng.choice(dicts).get("name")
    return [event for event in dicts if event.get("name") == name]


def some_holder(rng, event):
    """The event itself, or an object within it (its arguments)."""
    inner = [value for value in event.values() if isinstance(value, dict) and value]
    return rng.choice(inner) if inner and rng.random() < 0.5 else event


def odd_fields(rng, events, _):
    value, key = rng.choice(ODD_VALUES), None
    for event in some_events(rng, events):
        holder = some_holder(rng, event)
        if key not in holder and holder:
            key = rng.choice(sorted(holder))
        if key in holder:
            holder[key] = value


def scaled_numbers(rng, events, _):
    key = rng.choice(("ts", "dur", "dur", "tid", "pid", "id", "start_time", "In msg nelems",
                      "stream"))
    factor, shift = rng.choice((0, -1, 0.001, 1000, 1, 1)), rng.choice((0, 1, -1000, 10**9, 10**15))
    for event in some_events(rng, events):
        holder = event if key in event else event.get("args")
        if isinstance(holder, dict) and isinstance(holder.get(key), (int, float)):
            holder[key] = holder[key] * factor + shift


def swapped_fields(rng, events, _):
    chosen = some_events(rng, events)
    for left, right in zip(chosen[::2], chosen[1::2]):
        for key in rng.sample(sorted(left), min(len(left), 2)):
            if key in right:
                left[key], right[key] = right[key], left[key]


def lost_fields(rng, events, _):
    key = None
    for event in some_events(rng, events):
        holder = some_holder(rng, event)
        key = key or (rng.choice(sorted(holder)) if holder else None)
        holder.pop(key, None)


def renamed(rng, events, _):
    names = [event["name"] for event in some_events(rng, events) if "name" in event]
    names += ["ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "ProfilerStep#7", "ProfilerStep#0",
              "gloo:all_reduce", "Optimizer.step#Adam.step", "cudaStreamSynchronize",
              "cudaGraphLaunch", "Memcpy HtoD"]
    name = rng.choice(names)
    for event in some_events(rng, events):
        event["name"] = name


def mixed_events(rng, events, _):
    mix_list(rng, events)


def foreign_events(rng, events, other):
    more = other.events()
    if more:
        begin = rng.randrange(len(more))
        where = rng.randrange(len(events) + 1)
        events[where:where] = json.loads(json.dumps(more[begin:begin + rng.choice((1, 100, 3000))]))


EVENT_MUTATIONS = (odd_fields, odd_fields, scaled_numbers, scaled_numbers, swapped_fields,
                   lost_fields, renamed, mixed_events, mixed_events, foreign_events)


def odd_header(rng, document):
    """Another rank, world size or other field beside the list of events."""
    fields = [key for key in sorted(document) if key not in EVENT_LISTS]
    if not fields:
        return
    key = rng.choice(fields)
    holder = document[key] if isinstance(document[key], dict) and document[key] else document
    holder[key if holder is document else rng.choice(sorted(holder))] = rng.choice(ODD_VALUES)


def mutate_events(rng, source, other):
    """JSON of the source with changed events; they stay valid JSON."""
    document = json.loads(source.data)
    done = []
    for _ in range(rng.choice((1, 1, 2, 4))):
        mutation = rng.choice(EVENT_MUTATIONS)
        mutation(rng, events_of(document), other)
        done.append(mutation.__name__)
    if isinstance(document, dict) and rng.random() < 0.15:
        odd_header(rng, document)
        done.append("odd_header")
    return json.dumps(document).encode(), done


def mutate_bytes(rng, source, other):
    data, done = bytearray(source.data), []
    for _ in range(rng.choice((1, 1, 2, 4))):
        mutation = rng.choice(BYTE_MUTATIONS)
        mutation(rng, data, other)
        done.append(mutation.__name__)
    return bytes(data), done


def pack(rng, path, data, done):
    """The file's new path and bytes: plain, compressed, or compressed and damaged."""
    kind = rng.random()
    if kind < 0.6:
        return path, data
    packed = bytearray(gzip.compress(data, 1, mtime=0))
    if kind > 0.95:
        rng.choice((flip, truncate))(rng, packed, None)
        done.append("damaged_gz")
    return path + ".gz", bytes(packed)


def write_file(folder, path, data):
    full = os.path.join(folder, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "wb") as out:
        out.write(data)


def make_bundle(options, index, folder):
    """Writes a mutated bundle. Returns in words how it was made."""
    rng, groups = random.Random(f"{options.seed}:{index}"), find_groups(tuple(options.sources))
    root, group, paths = rng.choice(groups)
    paths = rng.sample(paths, min(len(paths), rng.choice((1, 2, 2, 4))))
    damaged = rng.sample(paths, rng.randint(1, len(paths)))
    made = []
    for path in sorted(paths):
        source = load(root, path, options.bytes, options.events)
        done, data = [], source.data
        if path in damaged:
            other_root, _, others = rng.choice(groups)
            other = load(other_root, rng.choice(others), options.bytes, options.events)
            knows_events = bool(source.events()) and rng.random() < 0.7
            data, done = (mutate_events if knows_events else mutate_bytes)(rng, source, other)
        write_file(folder, *pack(rng, source.name, data, done))
        made.append(f"{source.name} ({' '.join(done) or 'whole'})")
    return f"{group}: {', '.join(made)}"


class Outcome:
    def __init__(self, words, process, wall, usage, output, is_hang):
        self.words, self.code, self.wall, self.output = words, process.returncode, wall, output
        self.cpu = usage.ru_utime + usage.ru_stime
        self.rss_mib = usage.ru_maxrss / 1024
        self.is_hang = is_hang


def run(words, seconds, folder):
    """Runs a command, and kills it after `seconds`."""
    with open(os.path.join(folder, "stdout"), "w+b") as out, \
            open(os.path.join(folder, "stderr"), "w+b") as err:
        begin = time.monotonic()
        process = subprocess.Popen(words, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        killer = threading.Timer(seconds, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        killer.cancel()
        wall = time.monotonic() - begin
        out.seek(0), err.seek(0)
        output = tuple(file.read().decode("utf-8", "replace") for file in (out, err))
    return Outcome(words, process, wall, usage, output, wall >= seconds and process.returncode < 0)


def refuse_constant(word):
    raise ValueError("not JSON: " + word)


def complaint(outcome, options):
    """What is wrong with an outcome, None where nothing is."""
    text, errors = outcome.output
    if outcome.is_hang:
        return "hang"
    if outcome.code < 0 or outcome.code >= 128:
        return f"signal {outcome.code}"
    if outcome.code not in (0, 1, 3):
        return f"exit {outcome.code}"
    found = next((word for word in WATCHED if word in errors), None)
    if found:
        return found
    if outcome.code == 1 and not errors.strip():
        return "exit 1 without a message"
    if options.memory and outcome.rss_mib > options.memory:
        return f"{outcome.rss_mib:.0f} MiB"
    if "--json" in outcome.words and outcome.code != 1:
        try:
            json.loads(text, parse_constant=refuse_constant)
        except ValueError as error:
            return f"output is no JSON: {error}"
    return None


class Campaign:
    """Bundles are made in another process: a command's peak of memory includes who starts it."""

    def __init__(self, options, maker):
        self.options, self.maker = options, maker
        self.codes, self.slowest, self.largest = collections.Counter(), {}, {}
        self.failures, self.lock = [], threading.Lock()

    def commands(self, bundle, folder):
        project = os.path.join(folder, "p.longpole")
        program = self.options.program
        yield [program, "import", bundle, "-o", project, "--memory-limit", str(self.options.limit)]
        if os.path.exists(project):
            for command in COMMANDS:
                yield [program, command[0], project, *command[1:], "--json"]

    def note(self, index, made, outcome):
        command, wrong = outcome.words[1], complaint(outcome, self.options)
        with self.lock:
            self.codes[command, outcome.code] += 1
            self.slowest[command] = max(self.slowest.get(command, (0, 0)), (outcome.wall, index))
            self.largest[command] = max(self.largest.get(command, (0, 0)), (outcome.rss_mib, index))
            if wrong:
                self.failures.append(index)
                last = (outcome.output[1].strip().splitlines() or [""])[-1][:200]
                print(f"FAIL {command}: {wrong}; {outcome.wall:.1f} s, {outcome.cpu:.1f} s of CPU, "
                      f"{outcome.rss_mib:.0f} MiB; --seed {self.options.seed} --only {index}; "
                      f"{made}; {last}", flush=True)

    def try_bundle(self, index):
        with tempfile.TemporaryDirectory(dir=self.options.work) as folder:
            inputs = self.options.keep or os.path.join(folder, "bundle")
            made = self.maker.submit(make_bundle, self.options, index, inputs).result()
            for words in self.commands(inputs, folder):
                self.note(index, made, run(words, self.options.seconds, folder))
            if self.options.keep and os.path.exists(os.path.join(folder, "p.longpole")):
                shutil.copy(os.path.join(folder, "p.longpole"), self.options.keep + ".longpole")

    def summary(self, count):
        for (command, code), times in sorted(self.codes.items()):
            print(f"{command}: exit {code}: {times}")
        for command in self.slowest:
            (wall, at), (rss, largest) = self.slowest[command], self.largest[command]
            print(f"{command}: slowest {wall:.1f} s (bundle {at}), "
                  f"largest {rss:.0f} MiB (bundle {largest})")
        folders = len(find_groups(tuple(self.options.sources)))
        print(f"{count} bundles of {folders} folders, {sum(self.codes.values())} commands, "
              f"{len(self.failures)} failures in {len(set(self.failures))} bundles")


def parsed_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("program", help="the longpole program")
    add("sources", nargs="+", help="folders with recordings")
    add("--count", type=int, default=100, help="bundles to make")
    add("--first", type=int, default=0, help="number of the first bundle")
    add("--only", type=int, help="this bundle alone")
    add("--keep", help="with --only: folder to write the bundle to; the project goes beside it")
    add("--seed", type=int, default=1)
    add("--jobs", type=int, default=1, help="bundles at the same time")
    add("--seconds", type=float, default=20, help="a command that takes longer hangs")
    add("--limit", type=int, default=1024, help="--memory-limit of the import, MiB")
    add("--memory", type=int, help="most that a command takes, MiB (default: --limit; 0: any)")
    add("--bytes", type=int, default=3 << 20, help="larger files are cut to this")
    add("--events", type=int, default=6000, help="longer lists of events are cut to this")
    add("--work", help="folder for temporary files")
    options = parser.parse_args()
    options.memory = options.limit if options.memory is None else options.memory
    return options


def main():
    options = parsed_options()
    if not find_groups(tuple(options.sources)):
        sys.exit("no recordings in " + ", ".join(options.sources))
    indices = range(options.first, options.first + options.count)
    if options.only is not None:
        indices = [options.only]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as maker, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        campaign = Campaign(options, maker)
        tried = [pool.submit(campaign.try_bundle, index) for index in indices]
        for count, done in enumerate(tried, 1):
            done.result()
            if count % 100 == 0:
                print(f"{count} of {len(tried)} bundles", file=sys.stderr, flush=True)
    campaign.summary(len(indices))
    sys.exit(1 if campaign.failures else 0)


if __name__ == "__main__":
    main()
