"""Recording without a line in the program: `longpole profile` has Python import this at its start.

Nothing is imported for it. When the program itself imports PyTorch, steps of optimizers are counted as iterations;
a process that makes none (a launcher, a loader of data) never records.
"""
import functools
import importlib.util
import os
import sys

from longpole.notices import guarded, say

WATCHED = "torch.optim.optimizer"


class AfterImport:
    """A finder that finds nothing itself: it calls `action(module)` once `name` has been imported."""

    def __init__(self, name, action):
        self.name = name
        self.action = action

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                self.action(module)
            except Exception as error:  # a version that is made otherwise; the import has succeeded
                say("nothing is recorded: %s: %s" % (type(error).__name__, error))

        spec.loader.exec_module = exec_module
        return spec


class StepCounter:
    """Ends of iterations: the steps of the optimizer that stepped first."""

    def __init__(self):
        self.recorder = None
        self.optimizer = None
        self.is_over = False
        self.stepping = None  # the optimizer whose step is running: its class may call its base's

    @guarded
    def count(self, optimizer):
        if self.is_over:
            return
        from longpole import recorder
        if self.recorder is None or self.recorder.is_copy():
            if recorder.current() is not None:  # the program has lines of its own
                return
            self.optimizer = id(optimizer)  # the recorder keeps it, so no other one gets this number
            self.recorder = recorder.record(optimizers=[optimizer])
        if id(optimizer) == self.optimizer:
            self.recorder.step()
        if self.recorder.is_done:
            self.recorder, self.is_over = None, True

    def fail(self, reason):
        self.recorder, self.is_over = None, True
        say("nothing is recorded: " + reason)


def count_steps(module):
    """Has the counter called after each step of each optimizer; `module` is torch.optim.optimizer."""
    counter = StepCounter()
    if hasattr(module, "register_optimizer_step_post_hook"):  # 2.0 and later

        def count(optimizer, *_):
            counter.count(optimizer)

        count._torchdynamo_disable = True  # a step that is compiled need not be compiled with us
        module.register_optimizer_step_post_hook(count)  # for good: it cannot be removed while it runs
        return
    initialize = module.Optimizer.__init__

    def __init__(self, *args, **kwargs):
        initialize(self, *args, **kwargs)
        wrap_step(type(self), counter)

    module.Optimizer.__init__ = __init__


def wrap_step(kind, counter):
    """Once for each class, outside of what PyTorch itself wraps around `step`."""
    step = kind.step
    if getattr(step, "is_counted", False):
        return

    @functools.wraps(step)  # with its attributes: PyTorch knows by "hooked" that it has wrapped this one
    def counted(self, *args, **kwargs):
        if counter.is_over or counter.stepping is self:
            return step(self, *args, **kwargs)
        before, counter.stepping = counter.stepping, self
        try:
            result = step(self, *args, **kwargs)
        finally:
            counter.stepping = before
        counter.count(self)
        return result

    counted.is_counted = True
    kind.step = counted


def start():
    """Where `longpole profile` asks for it."""
    if os.environ.get("LONGPOLE_AUTO", "0") not in ("", "0"):
        sys.meta_path.insert(0, AfterImport(WATCHED, count_steps))
