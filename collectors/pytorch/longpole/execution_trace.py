"""PyTorch's execution trace: which op made which tensor. From 2.3 on it is recorded with the profile, so that the two
join op by op; before, over one more iteration, since it would slow down those that are timed."""
import gzip
import inspect
import os
import shutil

from longpole.trace_file import PACKING, whole


def observer_class(torch):
    """ExecutionTraceObserver, called ExecutionGraphObserver before 2.0."""
    profiler = torch.profiler
    return getattr(profiler, "ExecutionTraceObserver", None) or getattr(profiler, "ExecutionGraphObserver", None)


def joins_profile(torch):
    return "execution_trace_observer" in inspect.signature(torch.profiler.profile.__init__).parameters


class ExecutionTrace:
    """The file `path` (packed)."""

    def __init__(self, torch, path):
        self.path = path
        self.plain = path[:-len(".gz")] + ".part"
        self.observer = observer_class(torch)()
        self.observer.register_callback(self.plain)

    def start(self):
        """For one iteration by itself; with a profile the profiler does it."""
        self.observer.start()

    def finish(self):
        """Writes the file; one that holds nothing is left away."""
        self.observer.stop()
        self.observer.unregister_callback()
        if not os.path.exists(self.plain):
            return
        try:
            if os.path.getsize(self.plain) > 0:
                self.pack()
        finally:
            os.unlink(self.plain)

    def pack(self):
        with whole(self.path) as partial, open(self.plain, "rb") as source, \
                gzip.open(partial, "wb", compresslevel=PACKING) as out:
            shutil.copyfileobj(source, out)
