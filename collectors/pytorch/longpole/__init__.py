"""Records a few training iterations of every rank for `longpole import`.

    import longpole
    recorder = longpole.record(model)    # once, after the model is wrapped
    ...
    recorder.step()                      # at the end of each iteration

Only the standard library and the framework that the program uses anyway. A recorder never raises into the program that
it observes: where something cannot be recorded it says so once on stderr and the program runs on.
"""
import importlib

# Looked up when they are used first: `longpole profile` has this package imported by every Python process of a job, of
# which few train.
_HOMES = {"Recorder": "recorder", "record": "recorder", "push": "marks", "pull": "marks", "sent": "marks",
          "received": "marks", "update": "marks"}

__all__ = list(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError("module 'longpole' has no attribute '%s'" % name)
    found = getattr(importlib.import_module("longpole." + _HOMES[name]), name)
    globals()[name] = found
    return found
