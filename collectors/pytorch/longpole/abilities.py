"""What was asked for and this PyTorch cannot record, or not in full: told at the job's start, not after it."""
from longpole import execution_trace


def limits(torch, settings):
    """One text for each."""
    found = []
    if settings.memory and not torch.profiler.kineto_available():
        found.append("allocations come without how much was allocated in all, so the peak memory stays unknown: this "
                     "build has no Kineto (those of pytorch.org have)")
    if settings.execution_trace:
        if execution_trace.observer_class(torch) is None:
            found.append("no execution trace: PyTorch has it from 1.13 on")
        elif not execution_trace.joins_profile(torch):
            found.append("the execution trace is of one more iteration and joins no op of the timeline: from PyTorch "
                         "2.3 on it does")
    return found


def line(torch, settings):
    """For people; None where all that was asked for is recorded."""
    found = limits(torch, settings)
    return "PyTorch %s: %s" % (torch.__version__, "; ".join(found)) if found else None
