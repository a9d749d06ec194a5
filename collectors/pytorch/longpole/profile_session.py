"""torch.profiler over a fixed number of iterations, and the file that becomes of it."""
import os
import tempfile
import time
import warnings

from longpole import injection, trace_file
from longpole.marks import marks
from longpole.notices import say

SETTLE_S = 0.005


def wanted_activities(profiler):
    """All that this build supports, but for kernels that Longpole's own library records."""
    supported = set(profiler.supported_activities())
    if injection.records_kernels():
        supported.discard(profiler.ProfilerActivity.CUDA)
    return supported


def detailed_settings(profiler):
    """Records which event a stream waits for, where the version can."""
    try:
        return {"experimental_config": profiler._ExperimentalConfig(enable_cuda_sync_events=True)}
    except (AttributeError, TypeError):
        return {}


class ProfileSession:
    """One iteration that is thrown away (the profiler's own start), then `iterations` that are kept.

    `on_end` is called once, with this session stopped; write() then makes the file.
    """

    def __init__(self, torch, settings, observer, on_end):
        self.torch = torch
        self.iterations = settings.iterations
        self.steps = 0
        self.on_end = on_end
        self.is_running = self.is_stopped = False
        self.unfinished = None  # the name of an iteration's mark that has not ended
        self.stop_giving_way = lambda: None
        profiler = torch.profiler
        extra = detailed_settings(profiler)
        if observer is not None:
            extra["execution_trace_observer"] = observer
        self.profile = profiler.profile(
            activities=wanted_activities(profiler), record_shapes=True, profile_memory=settings.memory,
            schedule=profiler.schedule(wait=0, warmup=1, active=settings.iterations, repeat=1),
            on_trace_ready=lambda _: self.end(), **extra)

    def start(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.profile.start()
        self.is_running = True
        injection.stop()
        self.give_way()

    def give_way(self):
        """A second profiler in a process is an error: where the program starts one of its own, this one ends first."""
        kind = self.torch.autograd.profiler.profile
        initialize = kind.__init__
        session = self

        def __init__(self, *args, **kwargs):
            session.stop_giving_way()
            try:
                session.stop()
            except Exception as error:  # this is the program's call, not ours
                say("the recording ends without a file: %s: %s" % (type(error).__name__, error))
            initialize(self, *args, **kwargs)

        def stop_giving_way():
            if kind.__init__ is __init__:
                kind.__init__ = initialize

        kind.__init__ = __init__
        self.stop_giving_way = stop_giving_way

    def step(self):
        """At the end of an iteration."""
        self.steps += 1
        if self.steps == 1:
            marks.on = True
            injection.start()
        if self.steps == self.iterations + 1:
            self.let_threads_end()
        self.profile.step()

    def let_threads_end(self):
        """A backend's thread tells the profiler of its operation's end a moment after the program sees it: the last
        one of the recording would be missing. The wait comes after the end of the iteration's own mark."""
        mark, self.profile.step_rec_fn = getattr(self.profile, "step_rec_fn", None), None
        if mark is not None:
            mark.__exit__(None, None, None)
        time.sleep(SETTLE_S)

    def recorded_iterations(self):
        return min(max(0, self.steps - 1), self.iterations)

    def stop(self):
        """Early, or to close the profiler's own mark of an iteration after the last one. The second time nothing."""
        if not self.is_stopped:
            if self.is_running:
                self.unfinished = getattr(getattr(self.profile, "step_rec_fn", None), "name", None)
            self.is_running, self.is_stopped = False, True
            self.stop_giving_way()
            self.profile.stop()

    def end(self):
        self.stop_giving_way()
        injection.stop()
        self.is_running = marks.on = False
        self.on_end(self)

    def write(self, path, header):
        """The whole file or none; `header` holds the keys that stand beside the events."""
        with trace_file.whole(path) as partial:
            if self.torch.profiler.kineto_available():
                self.export(partial, header)
            else:
                events = self.profile.profiler.kineto_results.events()
                trace_file.write_events(partial, header, events, marks.rows, os.getpid(), self.unfinished)

    def export(self, path, header):
        handle, source = tempfile.mkstemp(suffix=".json", dir=os.path.dirname(path))
        os.close(handle)
        try:
            self.profile.export_chrome_trace(source)
            trace_file.add_to_export(source, path, header, marks.rows, os.getpid(), self.unfinished)
        finally:
            os.unlink(source)
