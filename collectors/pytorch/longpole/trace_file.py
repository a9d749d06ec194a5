"""Trace files in the layout of Kineto (torch.profiler), packed with gzip.

A build of PyTorch without libkineto (Debian's) collects the same events, but its own export drops shapes, sequence
numbers and threads: `write_events` writes them. Where Kineto writes the file, `add_to_export` packs it and adds what
Kineto did not see.
"""
import contextlib
import gzip
import itertools
import json
import os
import re

from longpole.marks import chrome_events, micros

PACKING = 5  # gzip's level: larger ones take several times as long for a few per cent
BLOCK = 1 << 20
HEAD = 256 * 1024  # Kineto's keys before the events are shorter, but for jobs with many process groups
UNFINISHED = "unfinished iteration"
EARLIEST_EPOCH_US = 1e15  # 2001; smaller times are after a base
FUNCTION, BACKWARD, USER = 0, 1, 7  # at::RecordScope
MEMORY = "[memory]"

EVENTS_KEY = re.compile(r'"traceEvents"\s*:\s*\[')
BASE_KEY = re.compile(r'"baseTimeNanoseconds"\s*:\s*(\d+)')
FIRST_TIME = re.compile(r'"ts"\s*:\s*"?([0-9.]+)')


def packed(path):
    """A text file that is packed while it is written."""
    return gzip.open(path, "wt", compresslevel=PACKING, encoding="utf-8")


@contextlib.contextmanager
def whole(path):
    """A name to write to: the file becomes `path` at the end; where something fails, nothing is left of it."""
    partial = "%s.%d.part" % (path, os.getpid())
    try:
        yield partial
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise


def write_texts(path, header, texts):
    """header: the keys beside the events; texts: one JSON text an event."""
    with packed(path) as out:
        out.write(json.dumps(header)[:-1] + ', "traceEvents": [\n')
        separator = ""
        for text in texts:
            out.write(separator + text)
            separator = ",\n"
        out.write("\n]}\n")


def base_of(before, events, tail):
    """Nanoseconds that the times of a Kineto file are counted from: as stated before the events, or behind them if
    these have no times since 1970 already."""
    found = BASE_KEY.search(before)
    if found:
        return int(found.group(1))
    first = FIRST_TIME.search(events)
    found = BASE_KEY.search(tail)
    relative = first and float(first.group(1)) < EARLIEST_EPOCH_US
    return int(found.group(1)) if found and relative else 0


def tail_of(path):
    with open(path, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - HEAD))
        return file.read().decode("utf-8", "replace")


def read_head(file):
    """What comes before the events, with some of these, and where their key is."""
    head = ""
    while True:
        block = file.read(HEAD)
        head += block
        events = EVENTS_KEY.search(head)
        if events:
            return head, events
        if not block:
            raise ValueError("torch.profiler wrote a trace without traceEvents")


def renamed(blocks, name):
    """The text of `blocks` with another name for the events `name` (if any), also where it lies across two blocks."""
    old, new = json.dumps(name), json.dumps(UNFINISHED)
    rest = ""
    for block in blocks:
        text = (rest + block).replace(old, new) if name else block
        rest = text[1 - len(old):] if name else ""
        yield text[:len(text) - len(rest)]
    yield rest


def add_to_export(source, path, header, rows, pid, unfinished=None):
    """Kineto's own export `source` into `path`, with further keys and with marks. unfinished: the name of the mark of
    an iteration that had not ended; it gets another one, as it is none."""
    with open(source, encoding="utf-8", errors="replace") as file, packed(path) as out:
        head, events = read_head(file)
        before, after = head[:events.start()], head[events.end():]
        for key, value in header.items():
            if json.dumps(key) not in before:
                before += "%s: %s, " % (json.dumps(key), json.dumps(value))
        out.write(before + events.group(0))
        texts = ",\n".join(chrome_events(rows, pid, base_of(before, after, tail_of(source))))
        if texts:
            out.write("\n" + texts + ("," if not after.lstrip().startswith("]") else ""))
        for text in renamed(itertools.chain([after], iter(lambda: file.read(BLOCK), "")), unfinished):
            out.write(text)


def start_ns(event):
    """PyTorch 2.4 and later tell nanoseconds, earlier ones microseconds."""
    return event.start_ns() if hasattr(event, "start_ns") else event.start_us() * 1000


def duration_ns(event):
    return event.duration_ns() if hasattr(event, "duration_ns") else event.duration_us() * 1000


class EventTexts:
    """The profiler's own events as texts. It numbers threads 1, 2 ...; 1 is the main thread."""

    def __init__(self, events, pid, unfinished=None):
        self.events = events
        self.pid = pid
        self.unfinished = unfinished
        self.threads = set()
        self.forwards = {}  # (thread, sequence number) -> (start, thread) of the op that made the backward node
        self.backwards = []

    def thread(self, number):
        self.threads.add(number)
        return self.pid + number - 1

    def texts(self):
        for index, event in enumerate(self.events):
            yield self.allocation(event) if event.name() == MEMORY else self.slice(index, event)
        yield from self.flows()
        for number in sorted(self.threads):
            yield json.dumps({"ph": "M", "name": "thread_name", "pid": self.pid, "tid": self.thread(number),
                              "args": {"name": "thread %d (python)" % self.thread(number)}})

    def allocation(self, event):
        """Allocated or, where negative, released; this profiler does not tell the address."""
        head = {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": MEMORY, "pid": self.pid,
                "tid": self.thread(event.start_thread_id()),
                "args": {"Bytes": event.nbytes(), "Device Type": int(event.device_type()),
                         "Device Id": event.device_index()}}
        return '%s,"ts":%s}' % (json.dumps(head)[:-1], micros(start_ns(event)))

    def slice(self, index, event):
        args = {"External id": event.correlation_id(), "Ev Idx": index}
        if event.shapes():
            args["Input Dims"] = event.shapes()
            args["Input type"] = event.dtypes()
        if event.sequence_nr() >= 0:
            args["Sequence number"] = event.sequence_nr()
            args["Fwd thread id"] = event.fwd_thread_id()
            self.note_flow(event)
        category = "user_annotation" if event.scope() == USER else "cpu_op"
        name = UNFINISHED if event.name() == self.unfinished else event.name()
        head = {"ph": "X", "cat": category, "name": name, "pid": self.pid,
                "tid": self.thread(event.start_thread_id()), "args": args}
        return '%s,"ts":%s,"dur":%s}' % (json.dumps(head)[:-1], micros(start_ns(event)), micros(duration_ns(event)))

    def note_flow(self, event):
        start, thread = start_ns(event), event.start_thread_id()
        if event.fwd_thread_id() == 0:
            key = (thread, event.sequence_nr())
            if key not in self.forwards or start >= self.forwards[key][0]:  # the innermost one made the node
                self.forwards[key] = (start, thread)
        elif event.scope() == BACKWARD:
            self.backwards.append(((event.fwd_thread_id(), event.sequence_nr()), start, thread))

    def flows(self):
        number = 0
        for key, start, thread in self.backwards:
            if key not in self.forwards:
                continue
            number += 1
            forward_start, forward_thread = self.forwards[key]
            for phase, at, on in (("s", forward_start, forward_thread), ("f", start, thread)):
                event = {"ph": phase, "id": number, "cat": "fwdbwd", "name": "fwdbwd", "pid": self.pid,
                         "tid": self.thread(on)}
                if phase == "f":
                    event["bp"] = "e"
                yield '%s,"ts":%s}' % (json.dumps(event)[:-1], micros(at))


def write_events(path, header, events, rows, pid, unfinished=None):
    """What a profiler without libkineto collected, and marks; unfinished: as of add_to_export()."""

    def texts():
        yield json.dumps({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": "python"}})
        yield from EventTexts(events, pid, unfinished).texts()
        yield from chrome_events(rows, pid)

    write_texts(path, header, texts())
