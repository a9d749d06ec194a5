"""The recorder of one process: counts iterations, switches the profiler on and off, writes this rank's files."""
import atexit
import contextlib
import multiprocessing.util
import os
import sys
import time

from longpole import abilities, bucket_hook, execution_trace, layout, metadata
from longpole.job import Job, distributed
from longpole.marks import chrome_events, marks
from longpole.notices import guarded, say
from longpole.profile_session import ProfileSession
from longpole.settings import Settings
from longpole import trace_file

SETTLING = 2  # first iterations that are no measure: lazy starts, and DDP's buckets are laid out anew after the first


class Recorder:
    """Iterations: `warmup` without recording (the first one included), one in which the profiler starts, `iterations`
    that are recorded, and with older versions of PyTorch one for the execution trace."""

    def __init__(self, models=(), optimizers=(), marks_only=False, **settings):
        self.models = [model for model in models if model is not None]
        self.optimizers = list(optimizers)
        self.marks_only = marks_only
        self.owner = os.getpid()
        self.ends = [time.time_ns()]  # of iterations, and first of all the beginning
        self.session = None
        self.execution_trace = self.finalizer = None
        self.is_done = False
        self.has_file = False
        self.prepare(settings)

    @guarded
    def prepare(self, settings):
        self.settings = Settings(**settings)
        atexit.register(self.close)
        # A child that multiprocessing has forked runs no atexit functions, but these.
        self.finalizer = multiprocessing.util.Finalize(None, self.close, exitpriority=0)

    # What programs call.

    @guarded
    def step(self):
        """At the end of an iteration."""
        if self.is_done:
            return
        if self.is_copy():
            self.is_done = True
            say("a process that was forked after longpole.record() is not recorded: call it in each process")
            return
        self.ends.append(time.time_ns())
        count = len(self.ends) - 1
        if count == 1:
            self.tell_limits()
        if count == self.settings.warmup:
            self.begin()
        elif self.session is not None and self.session.is_running:
            self.session.step()
            if not self.session.is_running:
                self.after_profile()
        elif self.marks_only:
            self.count_marked(count)
        elif self.session is not None:  # it has ended, for the execution trace or the program's own profiler
            self.finish()

    @guarded
    def close(self):
        """Ends early; at the program's end it comes by itself."""
        if self.is_done or self.is_copy():
            return
        if self.session is not None and self.session.is_running:
            self.session.stop()
        elif self.marks_only and marks.on:
            self.write_marks()
        self.finish()

    def is_copy(self):
        """In a forked child, which has no business with its parent's recording."""
        return os.getpid() != self.owner

    @guarded
    def abandon(self):
        """Another recorder takes over: what this one has is dropped."""
        if not self.is_done and not self.is_copy():
            self.is_done = True
            self.stop_and_release()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # What happens when.

    def tell_limits(self):
        """By rank 0. Not before the first iteration, as the launcher's processes have ranks, too."""
        torch = sys.modules.get("torch")
        text = abilities.line(torch, self.settings) if torch is not None and not self.marks_only else None
        if text and Job().rank == 0:
            say(text)

    def begin(self):
        os.makedirs(self.settings.out, exist_ok=True)
        self.job = Job()
        self.trace_path = os.path.join(self.settings.out, "rank%d.pt.trace.json.gz" % self.job.rank)
        if os.path.exists(self.trace_path):
            return self.fail("%s is there already, from an earlier program or another process that says it is rank %d"
                             % (self.trace_path, self.job.rank))
        if self.marks_only:
            marks.on = True
            return None
        return self.begin_profile(sys.modules["torch"])

    def begin_profile(self, torch):
        if torch.autograd._profiler_enabled():
            return self.fail("the program runs torch.profiler itself: let it write its trace, and import that")
        if not self.models:
            self.models = layout.wrapped_modules() + layout.sharded_roots()
        self.add_bucket_marks()
        observer = None
        if self.settings.execution_trace and execution_trace.joins_profile(torch):
            self.execution_trace = self.new_execution_trace(torch)
            observer = self.execution_trace and self.execution_trace.observer
        self.session = ProfileSession(torch, self.settings, observer, self.save)
        self.session.start()
        return None

    def add_bucket_marks(self):
        dist = distributed()
        for model in self.models:
            if layout.is_ddp(model) and bucket_hook.is_wanted(self.job.backend, self.settings.bucket_marks):
                try:
                    if not bucket_hook.install(model, dist):
                        say("the program has a communication hook of its own: buckets are not marked")
                except Exception as error:  # the rest can be recorded all the same
                    say("buckets are not marked: %s: %s" % (type(error).__name__, error))

    def new_execution_trace(self, torch):
        if execution_trace.observer_class(torch) is None:
            return None
        path = os.path.join(self.settings.out, "rank%d.et.json.gz" % self.job.rank)
        return execution_trace.ExecutionTrace(torch, path)

    def after_profile(self):
        """An execution trace of its own takes one more iteration."""
        torch = sys.modules["torch"]
        if self.execution_trace is None and self.settings.execution_trace:
            self.execution_trace = self.new_execution_trace(torch)
            if self.execution_trace is not None:
                return self.execution_trace.start()
        return self.finish()

    def save(self, session):
        """The profiler has stopped."""
        if self.is_done or session.recorded_iterations() == 0:
            return
        if os.path.exists(self.trace_path):
            raise FileExistsError("another process that says it is rank %d has written %s" % (self.job.rank,
                                                                                              self.trace_path))
        session.write(self.trace_path, self.header())
        self.has_file = True

    def count_marked(self, count):
        if count == self.settings.warmup + 1 + self.settings.iterations and marks.on:
            self.write_marks()
            self.finish()

    def write_marks(self):
        """A process without a profile, such as a parameter server."""
        marks.on = False
        with trace_file.whole(self.trace_path) as partial:
            trace_file.write_texts(partial, self.header(), chrome_events(marks.rows, os.getpid()))
        self.has_file = True

    @guarded
    def finish(self):
        self.is_done = True
        try:
            if self.execution_trace is not None:
                self.execution_trace.finish()
            if self.session is not None:
                self.session.stop()
            self.tell()
        finally:
            self.stop_and_release()

    def tell(self):
        """Writes the job's description and says what became of the recording."""
        if not self.has_file:
            say("rank %s: the program ended after %d iterations, nothing is recorded: it takes %d. Lower --warmup and "
                "--iterations of longpole profile (LONGPOLE_WARMUP, LONGPOLE_ITERATIONS)"
                % (self.rank_text(), len(self.ends) - 1, self.needed()))
            return
        if self.job.rank == 0:
            metadata.write_json(os.path.join(self.settings.out, "meta.json"), self.facts())
        if marks.left_out:
            say("%d marks made no sense or found no room, and were left out" % marks.left_out)
        say("rank %d of %d: %d iterations are in %s" % (self.job.rank, self.job.world_size, self.recorded(),
                                                        self.trace_path))

    def fail(self, reason):
        """Nothing more is recorded, and the program runs on."""
        self.is_done = True
        self.stop_and_release()
        say("rank %s is not recorded%s: %s" % (self.rank_text(), " to the end" if self.has_file else "", reason))

    def stop_and_release(self):
        """Nothing of the program's is held on to; the rest of the job runs as without a recorder."""
        marks.on = False
        marks.rows = []
        for part, end in ((self.session, "stop"), (self.execution_trace, "finish")):
            with contextlib.suppress(Exception):  # what failed before may fail again
                if part is not None:
                    getattr(part, end)()
        self.models, self.optimizers = [], []
        self.session = self.execution_trace = None
        atexit.unregister(self.close)
        if self.finalizer is not None:
            self.finalizer.cancel()

    # What is known.

    def rank_text(self):
        try:
            return str(Job().rank)
        except Exception:  # a framework that is half torn down
            return "?"

    def needed(self):
        return self.settings.warmup + 1 + self.settings.iterations

    def recorded(self):
        return self.session.recorded_iterations() if self.session else self.settings.iterations

    def durations(self, first, last):
        """Of iterations `first` ... `last` - 1."""
        ends = self.ends[first:last + 1]
        return [after - before for before, after in zip(ends, ends[1:])]

    def timing(self):
        begin = self.settings.warmup
        return metadata.timing(self.durations(min(SETTLING, begin), begin),
                               self.durations(begin + 1, begin + 1 + self.recorded()))

    def header(self):
        """Keys beside the events of the trace."""
        job = self.job
        return {"schemaVersion": 1, "deviceProperties": [],
                "distributedInfo": {"backend": job.backend or "", "rank": job.rank, "world_size": job.world_size},
                "host_name": job.host, "displayTimeUnit": "ms",
                "longpole": dict(job.process(), timing=self.timing())}

    def facts(self):
        facts = {"kind": "ps" if self.marks_only else "allreduce", "framework": "pytorch",
                 "workers": self.job.world_size, "backend": self.job.backend or "",
                 "warmup_iterations": self.settings.warmup, "profiled_iterations": self.recorded(),
                 "timing": self.timing(), "process": self.job.process()}
        torch = sys.modules.get("torch")
        if torch is not None and not self.marks_only:
            facts.update(metadata.versions(torch))
            facts.update(metadata.reduction_facts(self.models))
        if self.models:
            metadata.attempt(facts, "model_facts", lambda: metadata.model_facts(self.models))
            facts.update(facts.pop("model_facts", {}))
            metadata.attempt(facts, "parameter_table", lambda: metadata.parameter_table(self.models))
        metadata.attempt(facts, "optimizers", lambda: metadata.optimizer_facts(self.optimizers))
        metadata.attempt(facts, "process_groups", metadata.process_groups)
        return facts


_recorder = None


def current():
    """The recorder of this process, if there is one."""
    return None if _recorder is None or _recorder.is_copy() else _recorder


def record(*models, out=None, warmup=None, iterations=None, optimizers=(), marks_only=False):
    """Starts a recording: call its step() at the end of each iteration.

    models: wrapped by DDP or FSDP as the program trains them; without any they are looked for. out: the bundle's
    folder, one for the job. warmup: iterations before. iterations: that are recorded. marks_only: no profile, only
    push, pull and the like: a parameter server. LONGPOLE_OUT, LONGPOLE_WARMUP and LONGPOLE_ITERATIONS win.
    """
    global _recorder
    if _recorder is not None:
        _recorder.abandon()  # one that began by itself: the program's own words are better
    _recorder = Recorder(models, optimizers, marks_only, out=out, warmup=warmup, iterations=iterations)
    return _recorder
