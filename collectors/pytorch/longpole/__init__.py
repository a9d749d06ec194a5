"""Records a few training iterations of every rank for `longpole import`.

    import longpole
    recorder = longpole.record(model)    # once, after the model is wrapped
    ...
    recorder.step()                      # at the end of each iteration

Only the standard library and the framework that the program uses anyway. A recorder never raises into the program that
it observes: where something cannot be recorded it says so once on stderr and the program runs on.
"""
from longpole.marks import pull, push, received, sent, update
from longpole.recorder import Recorder, record

__all__ = ["Recorder", "record", "push", "pull", "sent", "received", "update"]
