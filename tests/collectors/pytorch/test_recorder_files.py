"""What needs no PyTorch: files, settings, layouts, and how recording starts."""
import gzip
import inspect
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

from longpole import (abilities, bucket_hook, injection, job, layout, marks, metadata, notices, profile_session, recorder,
                      settings, start, trace_file)

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "..", "collectors", "pytorch")


def read(path):
    with gzip.open(path, "rt") as file:
        return json.load(file)


class Event:
    """What torch.profiler's collected events answer, by keyword."""

    def __init__(self, **answers):
        self.answers = dict({"correlation_id": 0, "shapes": [], "dtypes": [], "sequence_nr": -1, "fwd_thread_id": 0,
                             "scope": trace_file.FUNCTION, "start_thread_id": 1}, **answers)

    def __getattr__(self, name):
        if name not in self.__dict__["answers"]:
            raise AttributeError(name)
        return lambda: self.__dict__["answers"][name]


class TraceFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = os.path.join(folder.name, "kineto.json")
        self.path = os.path.join(folder.name, "rank0.json.gz")
        self.mark = ("PUSH w", "PUSH 0", 1700000000000002500, 1700000000000004000, {"bytes": 8, "peer": 0}, {})

    def added(self, text, rows):
        with open(self.source, "w") as file:
            file.write(text)
        trace_file.add_to_export(self.source, self.path, {"displayTimeUnit": "ns", "longpole": {"host": "a"}}, rows, 7)
        return read(self.path)

    def test_marks_are_counted_from_the_base_that_the_file_states(self):
        texts = {"head": '{"baseTimeNanoseconds": 1700000000000000000, "displayTimeUnit": "ms", "traceEvents": '
                         '[{"ph": "X", "ts": 1.5}]}',
                 "tail": '{"displayTimeUnit": "ms", "traceEvents": [{"ph": "X", "ts": 1.5}], '
                         '"baseTimeNanoseconds": 1700000000000000000}'}
        for where, text in texts.items():
            with self.subTest(where):
                events = self.added(text, [self.mark])["traceEvents"]
                self.assertEqual([(e["ts"], e["dur"]) for e in events if e.get("name") == "PUSH w"], [(2.5, 1.5)])
                self.assertEqual(events[-1], {"ph": "X", "ts": 1.5})

    def test_times_since_1970_have_no_base(self):
        text = '{"traceEvents": [{"ph": "X", "ts": 1700000000000001}], "baseTimeNanoseconds": 5}'
        self.added(text, [self.mark])
        with gzip.open(self.path, "rt") as file:
            self.assertIn('"ts":1700000000000002.500,"dur":1.500', file.read())

    def test_keys_that_kineto_wrote_stay(self):
        trace = self.added('{\n  "displayTimeUnit": "ms",\n  "traceEvents": [\n  ]\n}', [self.mark])
        self.assertEqual((trace["displayTimeUnit"], trace["longpole"]), ("ms", {"host": "a"}))
        self.assertEqual([e["name"] for e in trace["traceEvents"]], ["thread_name", "PUSH w"])

    def test_a_trace_longer_than_one_block_is_whole(self):
        many = [{"ph": "X", "name": "op%d" % i, "ts": i} for i in range(60000)]
        trace = self.added(json.dumps({"schemaVersion": 1, "traceEvents": many, "traceName": "x"}), [])
        self.assertEqual((trace["traceEvents"], trace["traceName"]), (many, "x"))

    def test_collected_events_are_written_as_kineto_does(self):
        events = [Event(name="aten::mm", start_us=10, duration_us=5, sequence_nr=3, correlation_id=1, shapes=[[2, 2]],
                        dtypes=["float"]),
                  Event(name="MmBackward0", start_ns=20500, duration_ns=1500, sequence_nr=3, fwd_thread_id=1,
                        start_thread_id=2, scope=trace_file.BACKWARD),
                  Event(name="ProfilerStep#0", start_us=1, duration_us=40, scope=trace_file.USER)]
        trace_file.write_events(self.path, {"schemaVersion": 1}, events, [], 100)
        found = read(self.path)["traceEvents"]
        slices = {e["name"]: e for e in found if e["ph"] == "X"}
        self.assertEqual(slices["aten::mm"]["args"]["Input Dims"], [[2, 2]])
        self.assertEqual((slices["MmBackward0"]["ts"], slices["MmBackward0"]["dur"]), (20.5, 1.5))
        self.assertEqual((slices["MmBackward0"]["tid"], slices["aten::mm"]["tid"]), (101, 100))
        self.assertEqual(slices["ProfilerStep#0"]["cat"], "user_annotation")
        self.assertEqual([(e["ph"], e["ts"], e["tid"]) for e in found if e.get("cat") == "fwdbwd"],
                         [("s", 10, 100), ("f", 20.5, 101)])

    def test_a_head_longer_than_one_block_is_whole(self):
        groups = list(range(60000))  # as the process groups of a job of thousands of ranks
        self.assertGreater(len(json.dumps(groups)), trace_file.HEAD)
        trace = self.added(json.dumps({"distributedInfo": groups, "traceEvents": [{"ph": "X", "ts": 1}]}), [self.mark])
        self.assertEqual((trace["distributedInfo"], trace["traceEvents"][-1]), (groups, {"ph": "X", "ts": 1}))

    def test_a_file_without_events_is_refused_and_leaves_nothing(self):
        with self.assertRaisesRegex(ValueError, "without traceEvents"), trace_file.whole(self.path) as partial:
            with open(self.source, "w") as file:
                file.write('{"displayTimeUnit": "ms"}')
            trace_file.add_to_export(self.source, partial, {}, [], 7)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), [os.path.basename(self.source)])

    def test_an_iteration_that_had_not_ended_is_none(self):
        events = [{"name": "ProfilerStep#%d" % i, "ts": i} for i in (1, 2, 21, 2)]
        names = ["ProfilerStep#1", trace_file.UNFINISHED, "ProfilerStep#21", trace_file.UNFINISHED]
        text = json.dumps({"traceEvents": events})
        with open(self.source, "w") as file:
            file.write(text)
        for block in range(1, len(text)):
            with mock.patch.object(trace_file, "HEAD", 1), mock.patch.object(trace_file, "BLOCK", block):
                trace_file.add_to_export(self.source, self.path, {}, [], 7, "ProfilerStep#2")
            self.assertEqual([event["name"] for event in read(self.path)["traceEvents"]], names, block)
        collected = [Event(name=event["name"], start_us=1, duration_us=1, scope=trace_file.USER) for event in events]
        trace_file.write_events(self.path, {"schemaVersion": 1}, collected, [], 7, "ProfilerStep#2")
        self.assertEqual([event["name"] for event in read(self.path)["traceEvents"] if event["ph"] == "X"], names)

    def test_allocations_are_instants_with_their_bytes(self):
        event = Event(name="[memory]", start_us=10, duration_us=0, nbytes=-64, device_type=0, device_index=0)
        trace_file.write_events(self.path, {"schemaVersion": 1}, [event], [], 100)
        found = [e for e in read(self.path)["traceEvents"] if e["name"] == "[memory]"]
        self.assertEqual([(e["ph"], e["ts"], e["args"]) for e in found],
                         [("i", 10, {"Bytes": -64, "Device Type": 0, "Device Id": 0})])

    def test_marks_come_only_while_recording(self):
        own = marks.Marks()
        with mock.patch.object(marks, "marks", own):
            with marks.push("w", 4, 0):
                pass
            own.on = True
            with marks.pull("w", 4, 0):
                pass
        self.assertEqual([row[0] for row in own.rows], ["PULL w"])

    def test_marks_that_make_no_sense_are_counted(self):
        own = marks.Marks()
        own.on = True
        with mock.patch.object(marks, "marks", own):
            with marks.push("w", None, "server"):
                pass
            with marks.update(3, 4):
                pass
        self.assertEqual(([row[0] for row in own.rows], own.left_out), (["UPDATE 3"], 1))

    def test_marks_beyond_the_limit_are_counted(self):
        own = marks.Marks()
        own.on = True
        with mock.patch.object(marks, "LARGEST_COUNT", 1):
            own.add("a", "r", 1, 2, {})
            own.add("b", "r", 1, 2, {})
        self.assertEqual((len(own.rows), own.left_out), (1, 1))


class Settings(unittest.TestCase):
    def test_the_environment_wins(self):
        with mock.patch.dict(os.environ, {"LONGPOLE_OUT": "/bundle", "LONGPOLE_ITERATIONS": "9"}):
            found = settings.Settings(out="mine", warmup=3, iterations=2)
        self.assertEqual((found.out, found.warmup, found.iterations), ("/bundle", 3, 9))

    def test_nonsense_of_the_program_is_the_default(self):
        found = settings.Settings(warmup="many", iterations=None)
        self.assertEqual((found.warmup, found.iterations), (settings.DEFAULT_WARMUP, settings.DEFAULT_ITERATIONS))

    def test_nonsense_is_the_default(self):
        with mock.patch.dict(os.environ, {"LONGPOLE_WARMUP": "-3", "LONGPOLE_ITERATIONS": "many"}):
            found = settings.Settings()
        self.assertEqual((found.warmup, found.iterations), (settings.DEFAULT_WARMUP, settings.DEFAULT_ITERATIONS))

    def test_ranks_of_every_launcher(self):
        rows = {"torchrun": ({"RANK": "3", "WORLD_SIZE": "8", "SLURM_PROCID": "0"}, 3, 8),
                "mpirun": ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}, 2, 4),
                "mpich": ({"PMI_RANK": "1", "PMI_SIZE": "2"}, 1, 2),
                "srun": ({"SLURM_PROCID": "5", "SLURM_NTASKS": "6"}, 5, 6),
                "byteps": ({"DMLC_WORKER_ID": "2", "BYTEPS_LOCAL_SIZE": "4", "BYTEPS_LOCAL_RANK": "1"}, 9, 1),
                "none": ({}, 0, 1)}
        for launcher, (environment, rank, world) in rows.items():
            with self.subTest(launcher), mock.patch.dict(os.environ, environment, clear=True):
                found = job.Job()
                self.assertEqual((found.rank, found.world_size), (rank, world))

    def test_only_telling_variables_are_kept(self):
        with mock.patch.dict(os.environ, {"NCCL_ALGO": "Ring", "AWS_SECRET_ACCESS_KEY": "x"}, clear=True):
            self.assertEqual(job.Job().process()["environment"], {"NCCL_ALGO": "Ring"})

    def test_timing_states_the_cost(self):
        found = metadata.timing([100, 100, 120], [104, 104])
        self.assertEqual(found["overhead_fraction"], 0.04)
        self.assertNotIn("overhead_fraction", metadata.timing([], [104]))

    def test_timing_states_the_noise(self):
        found = metadata.timing([90, 100, 100, 110], [104, 104])
        # Standard deviation 8.164966, of 4 iterations; times sqrt(pi / 2), beside a median of 100.
        self.assertAlmostEqual(found["unrecorded_error_fraction"], 8.164966 / 2 * 1.253314 / 100, places=6)
        self.assertEqual(found["recorded_error_fraction"], 0)
        self.assertNotIn("recorded_error_fraction", metadata.timing([90, 110], [104]))

    def test_what_a_version_lacks_is_named(self):
        facts = {}
        metadata.attempt(facts, "buckets", lambda: [].missing)
        self.assertIn("AttributeError", facts["not_recorded"]["buckets"])


class Parameter:
    def __init__(self, count, requires_grad=True):
        self.count, self.requires_grad = count, requires_grad

    def numel(self):
        return self.count

    def element_size(self):
        return 4


class Module:
    """As little of torch.nn.Module as the layouts ask for."""

    def __init__(self, children=(), **parameters):
        self.children, self.own = dict(children), parameters

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, child in self.children.items():
            yield from child.named_modules(prefix + "." + name if prefix else name)

    def named_parameters(self, recurse=True):
        return self.own.items()


class DistributedDataParallel:
    def __init__(self, module, **log):
        self.module, self.log, self.parameters_to_ignore = module, log, {"b.skipped"}

    def _get_ddp_logging_data(self):
        return self.log


class Layouts(unittest.TestCase):
    def setUp(self):
        shared = Parameter(5)
        self.model = Module({"a": Module(weight=Parameter(10), frozen=Parameter(3, False)),
                             "b": Module(weight=shared, again=shared, skipped=Parameter(2), bias=Parameter(1))})

    def test_buckets_have_names_in_the_order_of_readiness(self):
        ddp = DistributedDataParallel(self.model, rebuilt_bucket_sizes="4, 60",
                                      rebuilt_per_bucket_param_indices="2, 1 0", bucket_sizes="64")
        self.assertTrue(layout.is_ddp(ddp))
        self.assertEqual(layout.ddp_buckets(ddp), [
            {"bucket": 0, "bytes": 4, "parameters": [{"name": "b.bias", "bytes": 4}]},
            {"bucket": 1, "bytes": 60, "parameters": [{"name": "b.weight", "bytes": 20},
                                                      {"name": "a.weight", "bytes": 40}]}])

    def test_before_the_rebuild_sizes_are_known_only(self):
        ddp = DistributedDataParallel(self.model, bucket_sizes="64")
        self.assertEqual(layout.ddp_buckets(ddp), [{"bucket": 0, "bytes": 64}])

    def test_units_of_fsdp(self):
        flat = mock.Mock(_fqns=["a.weight", "a.bias"], _numels=[6, 2], element_size=lambda: 2)
        one = Module()
        one._handle = mock.Mock(flat_param=flat, _sharding_strategy="FULL_SHARD")
        two = Module()
        parameter = mock.Mock(_param_fqn="b.weight", _orig_size=(3, 4), sharded_param=Parameter(6))
        group = mock.Mock(fsdp_params=[parameter], _reshard_after_forward=False)
        two._get_fsdp_state = lambda: mock.Mock(_fsdp_param_group=group)
        units = layout.fsdp_units(Module({"one": one, "two": two}))
        self.assertEqual([(u["module"], u["bytes"]) for u in units], [("one", 16), ("two", 48)])
        self.assertEqual(units[0]["parameters"], [{"name": "a.weight", "bytes": 12}, {"name": "a.bias", "bytes": 4}])
        self.assertEqual(units[1]["reshard_after_forward"], False)

    def test_units_of_fsdp_before_2_1(self):
        flat = mock.Mock(spec=["_prefixed_param_names", "_numels", "element_size"], _prefixed_param_names=("w", "b"),
                         _numels=(6, 2), element_size=lambda: 4)
        one = Module()
        one._handles = [mock.Mock(spec=["flat_param"], flat_param=flat)]
        empty = Module()
        empty._handles = []
        units = layout.fsdp_units(Module({"one": one, "empty": empty}))
        self.assertEqual([(u["module"], u["bytes"]) for u in units], [("one", 32)])
        self.assertEqual(units[0]["parameters"], [{"name": "w", "bytes": 24}, {"name": "b", "bytes": 8}])

    def test_a_hook_is_installed_only_where_the_profiler_sees_nothing(self):
        self.assertFalse(bucket_hook.is_wanted("nccl", None))
        self.assertFalse(bucket_hook.is_wanted("gloo", None))
        self.assertFalse(bucket_hook.is_wanted(None, None))
        self.assertTrue(bucket_hook.is_wanted("ccl", None))
        self.assertTrue(bucket_hook.is_wanted("gloo", True))
        self.assertFalse(bucket_hook.is_wanted("ccl", False))
        for backend in ("cpu:gloo,cuda:nccl", "undefined", "cpu:gloo,xpu:ccl", ""):
            self.assertFalse(bucket_hook.is_wanted(backend, None), backend)
        self.assertTrue(bucket_hook.is_wanted("cpu:ccl,xpu:ccl", None))

    def test_the_programs_own_hook_stays(self):
        ddp = DistributedDataParallel(self.model, comm_hook="fp16_compress_hook")
        ddp.register_comm_hook = mock.Mock()
        self.assertFalse(bucket_hook.install(ddp, mock.Mock()))
        ddp.register_comm_hook.assert_not_called()


class Library:
    """Longpole's own library, as a driver would have loaded it."""

    def __init__(self):
        self.calls = []

    def longpole_cupti_active(self):
        return 1

    def longpole_start(self):
        self.calls.append("start")

    def longpole_stop(self):
        self.calls.append("stop")


class Injection(unittest.TestCase):
    def test_a_library_that_the_driver_has_not_loaded_is_not_loaded(self):
        for path in ("", "/nsight/libToolsInjection64.so", "/nowhere/liblongpole_cupti.so"):
            with self.subTest(path), mock.patch.dict(os.environ, {"CUDA_INJECTION64_PATH": path}):
                self.assertIsNone(injection.loaded())
                self.assertFalse(injection.records_kernels())
                injection.start()

    def test_kernels_are_left_to_the_library(self):
        kinds = mock.Mock(CPU="cpu", CUDA="cuda")
        profiler = mock.Mock(ProfilerActivity=kinds, supported_activities=lambda: {"cpu", "cuda"})
        self.assertEqual(profile_session.wanted_activities(profiler), {"cpu", "cuda"})
        with mock.patch.object(injection, "loaded", Library):
            self.assertEqual(profile_session.wanted_activities(profiler), {"cpu"})

    def test_the_library_records_the_same_iterations(self):
        library, torch = Library(), mock.MagicMock()
        torch.autograd.profiler.profile = type("profile", (), {})
        with mock.patch.object(injection, "loaded", lambda: library):
            session = profile_session.ProfileSession(torch, settings.Settings(iterations=2), None, lambda _: None)
            session.start()
            self.assertEqual(library.calls, ["stop"])
            session.step()
            session.step()
            self.assertEqual(library.calls, ["stop", "start"])
            session.end()
        marks.marks.on = False
        self.assertEqual(library.calls, ["stop", "start", "stop"])


class Starting(unittest.TestCase):
    def run_python(self, code, **environment):
        paths = [os.path.join(SOURCES, "hook"), SOURCES]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(paths + environment.pop("paths", [])), **environment)
        return subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, timeout=60)

    def test_nothing_happens_without_longpole_profile(self):
        found = self.run_python("import sys; print([type(f).__name__ for f in sys.meta_path], 'torch' in sys.modules)",
                                LONGPOLE_AUTO="0")
        self.assertNotIn("AfterImport", found.stdout)
        self.assertEqual(found.stderr, "")

    def test_the_program_waits_for_its_own_import(self):
        found = self.run_python("import sys; print([type(f).__name__ for f in sys.meta_path], 'torch' in sys.modules)",
                                LONGPOLE_AUTO="1")
        self.assertIn("AfterImport", found.stdout)
        self.assertIn("False", found.stdout)

    def test_a_process_that_does_not_train_imports_next_to_nothing(self):
        found = self.run_python("import sys; print(sorted(name for name in sys.modules if 'longpole' in name))",
                                LONGPOLE_AUTO="1")
        self.assertEqual(found.stdout, "['longpole', 'longpole.notices', 'longpole.start']\n", found.stderr)

    def test_lines_of_the_program_find_what_they_name(self):
        code = "import longpole; print(longpole.record.__module__, longpole.push.__module__, hasattr(longpole, 'x'))"
        found = self.run_python(code, LONGPOLE_AUTO="0")
        self.assertEqual(found.stdout, "longpole.recorder longpole.marks False\n", found.stderr)

    def test_the_systems_own_sitecustomize_runs_too(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
                file.write("marker = 42\n")
            found = self.run_python("import sitecustomize; print(sitecustomize.marker)", paths=[folder],
                                    LONGPOLE_AUTO="1")
        self.assertEqual(found.stdout.strip(), "42", found.stderr)

    def test_a_module_is_seen_once_it_is_imported(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "watched_by_longpole.py"), "w") as file:
                file.write("value = 1\n")
            seen = []
            finder = start.AfterImport("watched_by_longpole", lambda module: seen.append(module.value))
            with mock.patch.object(sys, "path", [folder] + sys.path), mock.patch.object(sys, "meta_path",
                                                                                        [finder] + sys.meta_path):
                import watched_by_longpole
                self.assertEqual(seen, [1])
                self.assertNotIn(finder, sys.meta_path)
            del sys.modules[watched_by_longpole.__name__]

    def test_an_import_succeeds_where_its_watcher_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "watched_by_longpole.py"), "w") as file:
                file.write("value = 1\n")
            finder = start.AfterImport("watched_by_longpole", lambda module: module.missing)
            with mock.patch.object(sys, "path", [folder] + sys.path), \
                    mock.patch.object(sys, "meta_path", [finder] + sys.meta_path), \
                    mock.patch.object(sys, "stderr", io.StringIO()) as said:
                import watched_by_longpole
            self.assertEqual(watched_by_longpole.value, 1)
            self.assertIn("AttributeError", said.getvalue())
            del sys.modules[watched_by_longpole.__name__]

    def test_a_step_succeeds_where_its_count_fails(self):
        class Optimizer:
            def step(self, closure=None):
                return closure

        start.count_steps(mock.Mock(spec=["Optimizer"], Optimizer=Optimizer))
        with mock.patch.object(recorder, "current", side_effect=AttributeError("of another version")), \
                mock.patch.object(sys, "stderr", io.StringIO()) as said:
            one = Optimizer()
            self.assertEqual([one.step(3), one.step(4)], [3, 4])
        self.assertEqual(said.getvalue().count("nothing is recorded"), 1)
        self.assertEqual(list(inspect.signature(one.step).parameters), ["closure"])

    def test_steps_are_counted_by_a_hook_where_there_are_hooks(self):
        hooks, made = [], []

        def record(optimizers):
            made.append(mock.Mock(is_done=False, is_copy=lambda: False))
            return made[-1]

        start.count_steps(mock.Mock(spec=["register_optimizer_step_post_hook"],
                                    register_optimizer_step_post_hook=hooks.append))
        one, other = object(), object()
        with mock.patch.object(recorder, "record", record), mock.patch.object(recorder, "_recorder", None):
            for optimizer in (one, other, one):
                hooks[0](optimizer, (), {})
            self.assertEqual(made[0].step.call_count, 2)
            made[0].is_copy = lambda: True  # now in a forked child, which trains another one
            hooks[0](other, (), {})
            self.assertEqual([each.step.call_count for each in made], [2, 1])
            made[1].is_done = True
            for _ in range(2):
                hooks[0](other, (), {})
        self.assertEqual([each.step.call_count for each in made], [2, 2])

    def test_a_closed_stderr_is_no_failure(self):
        closed = io.StringIO()
        closed.close()
        for stderr in (None, closed):
            with mock.patch.object(sys, "stderr", stderr):
                notices.say("unheard")

    def test_steps_are_counted_once_each(self):
        calls = []

        class Counter(start.StepCounter):
            def count(self, optimizer):
                calls.append(type(optimizer).__name__)

        class Optimizer:
            def __init__(self):
                self.steps = 0

        class Plain(Optimizer):
            def step(self):
                self.steps += 1
                return "loss"

        class Derived(Plain):
            def step(self):
                return super().step()

        module = mock.Mock(spec=["Optimizer"], Optimizer=Optimizer)
        with mock.patch.object(start, "StepCounter", Counter):
            start.count_steps(module)
        plain, derived, again = Plain(), Derived(), Plain()
        self.assertEqual([plain.step(), derived.step(), again.step()], ["loss"] * 3)
        self.assertEqual(calls, ["Plain", "Derived", "Plain"])


class Abilities(unittest.TestCase):
    """The line about what was asked for and is not to be had."""

    class Profile:
        def __init__(self, execution_trace_observer=None):
            pass

    class OldProfile:
        def __init__(self):
            pass

    def line(self, kineto, observer, profile, **asked):
        profiler = SimpleNamespace(kineto_available=lambda: kineto, profile=profile)
        if observer:
            profiler.ExecutionTraceObserver = object
        torch = SimpleNamespace(__version__="9.1", profiler=profiler)
        wanted = dict({"memory": False, "execution_trace": False}, **asked)
        return abilities.line(torch, SimpleNamespace(**wanted))

    def test_nothing_is_said_of_what_is_recorded_or_not_asked_for(self):
        self.assertIsNone(self.line(True, True, self.Profile, memory=True, execution_trace=True))
        self.assertIsNone(self.line(False, False, self.OldProfile))

    def test_each_lack_is_named(self):
        self.assertRegex(self.line(False, True, self.Profile, memory=True, execution_trace=True),
                         r"^PyTorch 9\.1: allocations come without .*no Kineto")
        self.assertIn("from 1.13 on", self.line(True, False, self.OldProfile, execution_trace=True))
        both = self.line(False, True, self.OldProfile, memory=True, execution_trace=True)
        self.assertIn("no Kineto", both)
        self.assertIn("2.3 on it does", both)
        self.assertNotIn("\n", both)


if __name__ == "__main__":
    unittest.main()
