"""Events that a profiler does not see: the all-reduce of a bucket, and tensors on their way to a parameter server.

A mark is (name, row, start, end, arguments, moments): times in nanoseconds of CLOCK_REALTIME, `moments` further times
that become arguments in the trace's own clock.
"""
import contextlib
import json
import time

LARGEST_COUNT = 1000000  # further ones are counted only: a recorder must not take the job's memory


class Marks:
    """Collects marks while it is on. Threads may add at the same time: a list's append is atomic."""

    def __init__(self):
        self.on = False
        self.rows = []
        self.left_out = 0

    def add(self, name, row, start, end, args, **moments):
        if not self.on:
            return
        if len(self.rows) >= LARGEST_COUNT:
            self.left_out += 1
            return
        self.rows.append((name, row, start, end, args, moments))

    def note(self, verb, tensor, row, start, **numbers):
        """What a program says of a transfer that ends now; what makes no sense is left out, not raised."""
        if not self.on:
            return
        end = time.time_ns()
        try:
            args = dict({"tensor": str(tensor)}, **{key: int(number) for key, number in numbers.items()})
        except (TypeError, ValueError):
            self.left_out += 1
            return
        self.add("%s %s" % (verb, tensor), row, start, end, args)


marks = Marks()  # of this process: a process is one rank


@contextlib.contextmanager
def message(verb, tensor, nbytes, peer, row):
    """Marks what is inside as the transfer of a tensor to or from rank `peer`."""
    start = time.time_ns()
    yield
    marks.note(verb, tensor, row, start, bytes=nbytes, peer=peer)


def push(tensor, nbytes, server):
    """with push(...): a worker sends a gradient of `nbytes` bytes to the server, rank `server`."""
    return message("PUSH", tensor, nbytes, server, "PUSH %s" % server)


def pull(tensor, nbytes, server):
    """with pull(...): a worker receives a parameter from the server."""
    return message("PULL", tensor, nbytes, server, "PULL %s" % server)


def received(tensor, nbytes, worker):
    """with received(...): a server receives a gradient from rank `worker`."""
    return message("RECV", tensor, nbytes, worker, "RECV %s" % worker)


def sent(tensor, nbytes, worker):
    """with sent(...): a server sends a parameter to rank `worker`."""
    return message("SEND", tensor, nbytes, worker, "SEND %s" % worker)


@contextlib.contextmanager
def update(tensor, nbytes):
    """with update(...): a server applies the workers' gradients to a parameter."""
    start = time.time_ns()
    yield
    marks.note("UPDATE", tensor, "UPDATE", start, bytes=nbytes)


def micros(nanoseconds):
    """Microseconds as text: a float has no room for nanoseconds since 1970."""
    return "%s%d.%03d" % (("-" if nanoseconds < 0 else ""), *divmod(abs(nanoseconds), 1000))


def chrome_events(rows, pid, base=0):
    """Marks as texts, one event of a Chrome trace each, whose times are microseconds after `base` ns."""
    names = []
    for name, row, start, end, args, moments in rows:
        if row not in names:
            names.append(row)
            yield json.dumps({"ph": "M", "name": "thread_name", "pid": pid, "tid": row, "args": {"name": row}})
        shown = dict(args)
        for key, moment in moments.items():
            shown[key + "_us"] = (moment - base) / 1000
        event = {"ph": "X", "cat": "user_annotation", "name": name, "pid": pid, "tid": row, "args": shown}
        yield '%s,"ts":%s,"dur":%s}' % (json.dumps(event)[:-1], micros(start - base), micros(end - start))
