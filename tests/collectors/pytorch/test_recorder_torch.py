"""Real training on the CPU: two processes over gloo, with and without a line in the program."""
import glob
import gzip
import inspect
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "..", "collectors", "pytorch")

# Takes: rank, port, mode. Two layers, of which each has a bucket of its own.
PROGRAM = """
import gc, sys, weakref, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
rank, port, mode = int(sys.argv[1]), sys.argv[2], sys.argv[3]
torch.manual_seed(1)
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method="tcp://127.0.0.1:" + port, rank=rank, world_size=2)
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(600, 600), torch.nn.Linear(600, 600)),
                                bucket_cap_mb=0.3)
if mode == "own hook":
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
    model.register_comm_hook(None, fp16_compress_hook)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
if mode == "lines":
    import longpole
    recorder = longpole.record(model, iterations=2, optimizers=[optimizer])
own = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
if mode == "own profiler":
    own.start()
for i in range(5 if mode == "short" else 12):
    optimizer.zero_grad()
    model(torch.ones(8, 600)).sum().backward()
    optimizer.step()
    if mode == "late lines" and i == 6:
        import longpole
        recorder = longpole.record(model, warmup=1, iterations=2)
    if mode == "lines" or mode == "late lines" and i > 6:
        recorder.step()
    if mode == "own profiler later" and i == 8:
        own.start()
    if mode == "raises" and i == 9:
        raise SystemExit(7)
if mode.startswith("own profiler"):
    own.stop()
    print("own profiler: %d events" % len(own.events()))
print("weights %.6f" % sum(float(p.double().sum()) for p in model.parameters()))
dist.barrier()
if mode == "releases":
    kept = [weakref.ref(one) for one in (model, optimizer)]
    del model, optimizer
    gc.collect()
    print("kept: %s" % [one() is not None for one in kept])
"""

# Takes: how multiprocessing starts, port. The ranks are children of a process that has trained a little itself.
CHILDREN = """
import multiprocessing, sys, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def train(model, iterations):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(iterations):
        optimizer.zero_grad()
        model(torch.ones(8, 100)).sum().backward()
        optimizer.step()

def rank(number, port):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:" + port, rank=number, world_size=2)
    train(DistributedDataParallel(torch.nn.Linear(100, 100)), 8)

if __name__ == "__main__":
    torch.set_num_threads(1)
    train(torch.nn.Linear(100, 100), 2)
    context = multiprocessing.get_context(sys.argv[1])
    children = [context.Process(target=rank, args=(number, sys.argv[2])) for number in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(200)
        child.kill()
    sys.exit(max(abs(child.exitcode or 0) for child in children))
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class Run:
    """Both ranks of the program; `trace(k)` and `meta` are what they recorded."""

    def __init__(self, folder, mode, **environment):
        self.folder = folder
        program = os.path.join(folder, "train.py")
        with open(program, "w") as file:
            file.write(PROGRAM)
        self.out = os.path.join(folder, "bundle")
        paths = os.pathsep.join([os.path.join(SOURCES, "hook"), SOURCES])
        environment = dict(os.environ, PYTHONPATH=paths, LONGPOLE_OUT=self.out, OMP_NUM_THREADS="1", **environment)
        port = free_port()
        processes = [subprocess.Popen([sys.executable, program, str(rank), port, mode], env=environment,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
                     for rank in range(2)]
        try:
            outputs = [process.communicate(timeout=240) for process in processes]
        finally:
            for process in processes:  # a rank whose peer is gone waits, and takes a core for it
                process.kill()
        self.codes = [process.returncode for process in processes]
        self.out_text = "".join(out for out, _ in outputs)
        self.err = "".join(err for _, err in outputs)

    def files(self):
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(self.out, "*")))

    def trace(self, rank):
        with gzip.open(os.path.join(self.out, "rank%d.pt.trace.json.gz" % rank), "rt") as file:
            return json.load(file)

    def names(self, rank):
        return [event["name"] for event in self.trace(rank)["traceEvents"] if event["ph"] == "X"]

    @property
    def meta(self):
        with open(os.path.join(self.out, "meta.json")) as file:
            return json.load(file)

    @staticmethod
    def is_legacy_profiler():
        import torch
        return torch.__version__.startswith("1.")

    def weights(self):
        return set(re.findall(r"weights (\S+)", self.out_text))


BOTH_RANKS = ["meta.json", "rank0.pt.trace.json.gz", "rank1.pt.trace.json.gz"]


class Training(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, mode, **environment):
        settings = dict({"LONGPOLE_AUTO": "1", "LONGPOLE_ITERATIONS": "3"}, **environment)
        run = Run(self.folder, mode, **settings)
        # Seen once in some 200 runs with PyTorch 1.13, whose profiler is the legacy one: a rank dies in the C library
        # ("munmap_chunk(): invalid pointer"). Why is not known; a second such end in a row fails the test.
        if any(code < 0 for code in run.codes) and run.is_legacy_profiler():
            print("%s: tried again, as a rank died in PyTorch's profiler: %s" % (mode, run.err), file=sys.stderr)
            shutil.rmtree(run.out, ignore_errors=True)
            run = Run(self.folder, mode, **settings)
        self.assertEqual(run.codes, [0, 0], run.err)
        return run

    def check_recording(self, run, iterations):
        self.assertEqual(run.files(), BOTH_RANKS, run.err)
        for rank in range(2):
            names = run.names(rank)
            steps = [name for name in names if name.startswith("ProfilerStep#")]
            self.assertEqual(len(steps), iterations, names)
            self.assertEqual(names.count("gloo:all_reduce"), 2 * iterations)
            self.assertEqual(run.trace(rank)["distributedInfo"], {"backend": "gloo", "rank": rank, "world_size": 2})

    def test_a_program_without_a_line_of_ours_is_recorded(self):
        run = self.run_program("plain")
        self.check_recording(run, 3)
        self.assertEqual([[one["name"] for one in bucket["parameters"]] for bucket in run.meta["buckets"]],
                         [["1.bias", "1.weight"], ["0.bias", "0.weight"]])
        self.assertEqual([bucket["bytes"] for bucket in run.meta["buckets"]], [1442400, 1442400])
        self.assertEqual(run.meta["profiled_iterations"], 3)
        self.assertEqual(run.meta["optimizers"][0]["class"], "SGD")
        self.assertEqual(run.meta["model"], "Sequential")
        self.assertGreater(run.meta["timing"]["unrecorded_iteration_ms"], 0)

    def test_two_lines_record(self):
        self.check_recording(self.run_program("lines", LONGPOLE_AUTO="0", LONGPOLE_ITERATIONS=""), 2)

    def test_two_lines_win_over_recording_by_itself(self):
        self.check_recording(self.run_program("lines", LONGPOLE_ITERATIONS=""), 2)

    def test_bucket_marks_span_the_backends_own_operations(self):
        run = self.run_program("plain", LONGPOLE_BUCKET_MARKS="1")
        self.check_recording(run, 3)
        events = [event for event in run.trace(0)["traceEvents"] if event["ph"] == "X"]
        marked = sorted((e["ts"], e["ts"] + e["dur"], e["name"]) for e in events if e["name"].startswith("allreduce "))
        backend = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["name"] == "gloo:all_reduce")
        self.assertEqual([name for _, _, name in marked],
                         ["allreduce bucket=0 bytes=1442400", "allreduce bucket=1 bytes=1442400"] * 3)
        # Not pair by pair: gloo has two threads, and the second bucket's operation may come before the first one's.
        inside = [[begin <= own_begin + 1 and own_begin <= end for own_begin, _ in backend] for begin, end, _ in marked]
        self.assertTrue(all(any(row) for row in inside), (marked, backend))
        self.assertTrue(all(any(column) for column in zip(*inside)), (marked, backend))

    def test_marked_buckets_train_the_same_weights(self):
        plain = self.run_program("plain", LONGPOLE_AUTO="0")
        self.assertEqual(plain.files(), [])
        marked = self.run_program("plain", LONGPOLE_BUCKET_MARKS="1")
        self.assertEqual(len(plain.weights()), 1)
        self.assertEqual(plain.weights(), marked.weights())

    def test_a_hook_of_the_program_is_left_alone(self):
        run = self.run_program("own hook", LONGPOLE_BUCKET_MARKS="1")
        self.check_recording(run, 3)
        self.assertIn("communication hook of its own", run.err)

    def test_an_execution_trace_comes_when_asked_for(self):
        run = self.run_program("plain", LONGPOLE_EXECUTION_TRACE="1")
        self.assertEqual(run.files(), sorted(BOTH_RANKS + ["rank0.et.json.gz", "rank1.et.json.gz"]))
        with gzip.open(os.path.join(run.out, "rank1.et.json.gz"), "rt") as file:
            names = [node["name"] for node in json.load(file)["nodes"]]
        self.assertIn("aten::addmm", names)

    def test_what_this_pytorch_lacks_is_told_once_before_the_recording(self):
        import torch
        run = self.run_program("plain", LONGPOLE_EXECUTION_TRACE="1", LONGPOLE_MEMORY="1")
        told = [line for line in run.err.splitlines() if line.startswith("longpole: PyTorch ")]
        joins = "execution_trace_observer" in inspect.signature(torch.profiler.profile.__init__).parameters
        self.assertEqual(len(told), 0 if joins and torch.profiler.kineto_available() else 1, run.err)
        for line in told:
            self.assertLess(run.err.index(line), run.err.index("iterations are in"))
            self.assertEqual("joins no op" in line, not joins)
            self.assertEqual("no Kineto" in line, not torch.profiler.kineto_available())

    def test_a_program_that_ends_early_keeps_what_there_is(self):
        run = self.run_program("plain", LONGPOLE_ITERATIONS="50")
        self.assertEqual(run.files(), BOTH_RANKS)
        self.assertEqual(run.meta["profiled_iterations"], 6)

    def test_an_iteration_that_had_not_ended_is_not_counted(self):
        self.check_recording(self.run_program("plain", LONGPOLE_ITERATIONS="50"), 6)

    def test_lines_that_come_late_win_over_what_began_by_itself(self):
        run = self.run_program("late lines", LONGPOLE_WARMUP="", LONGPOLE_ITERATIONS="")
        self.check_recording(run, 2)

    def test_nothing_of_the_program_is_held_on_to(self):
        run = self.run_program("releases")
        self.assertEqual(run.out_text.count("kept: [False, False]"), 2, run.out_text)

    def test_ranks_that_are_children_are_recorded_to_their_end(self):
        for method in ("fork", "spawn"):
            with self.subTest(method):
                program, out = os.path.join(self.folder, "children.py"), os.path.join(self.folder, method)
                with open(program, "w") as file:
                    file.write(CHILDREN)
                environment = dict(os.environ, PYTHONPATH=os.pathsep.join([os.path.join(SOURCES, "hook"), SOURCES]),
                                   LONGPOLE_AUTO="1", LONGPOLE_OUT=out, LONGPOLE_ITERATIONS="50", OMP_NUM_THREADS="1")
                found = subprocess.run([sys.executable, program, method, free_port()], env=environment,
                                       stderr=subprocess.PIPE, universal_newlines=True, timeout=400)
                self.assertEqual(found.returncode, 0, found.stderr)
                self.assertEqual(sorted(os.listdir(out)), BOTH_RANKS, found.stderr)
                self.assertEqual(found.stderr.count("2 iterations are in"), 2, found.stderr)
                self.assertEqual(found.stderr.count("ended after 2 iterations"), 1, found.stderr)

    def test_a_program_that_is_too_short_says_so(self):
        run = self.run_program("short")
        self.assertNotIn("meta.json", run.files())
        self.assertIn("after 5 iterations, nothing is recorded: it takes 9", run.err)

    def test_the_programs_own_profiler_wins(self):
        run = self.run_program("own profiler")
        self.assertIn("runs torch.profiler itself", run.err)
        self.assertRegex(run.out_text, "own profiler: [1-9]")

    def test_a_recording_ends_where_the_program_starts_a_profiler(self):
        run = self.run_program("own profiler later", LONGPOLE_ITERATIONS="20")
        self.assertRegex(run.out_text, "own profiler: [1-9]")
        self.assertEqual(run.files(), BOTH_RANKS, run.err)
        self.assertEqual(run.meta["profiled_iterations"], 3)

    def test_the_exit_code_is_the_programs(self):
        run = Run(self.folder, "raises", LONGPOLE_AUTO="1", LONGPOLE_ITERATIONS="50")
        self.assertEqual(run.codes, [7, 7])
        self.assertEqual(run.files(), BOTH_RANKS)

    def test_a_recording_is_not_replaced(self):
        self.run_program("plain")
        before = self.stamps()
        run = self.run_program("plain")
        self.assertIn("is there already", run.err)
        self.assertEqual(self.stamps(), before)

    def test_a_folder_that_cannot_be_written_does_not_hurt_the_program(self):
        with open(os.path.join(self.folder, "bundle"), "w"):
            pass
        run = self.run_program("plain")
        self.assertIn("is not recorded", run.err)
        self.assertEqual(len(run.weights()), 1)

    def stamps(self):
        return {path: os.stat(path).st_mtime_ns for path in glob.glob(os.path.join(self.folder, "bundle", "*"))}


if __name__ == "__main__":
    try:
        import torch  # noqa: F401
        import torch.distributed  # noqa: F401
    except ImportError:
        for name in sorted(name for name in dir(Training) if name.startswith("test_")):
            print("SKIP   : Training::%s() PyTorch is not installed (apt-get install python3-torch)" % name)
        sys.exit(77)
    unittest.main()
