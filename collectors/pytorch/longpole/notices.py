"""Lines on stderr, and the promise that a failing recorder does not fail the program."""
import functools
import os
import sys


def say(text):
    """One line on stderr, unless LONGPOLE_QUIET is set."""
    if os.environ.get("LONGPOLE_QUIET", "0") not in ("", "0"):
        return
    try:
        sys.stderr.write("longpole: " + text + "\n")
        sys.stderr.flush()
    except Exception:  # closed, or none at all: no reason to fail a program
        pass


def guarded(action):
    """A method of an object with `fail(reason)`: what it raises ends the recording instead of the program."""

    @functools.wraps(action)
    def call(self, *args, **kwargs):
        try:
            return action(self, *args, **kwargs)
        except Exception as error:  # whatever a framework's private parts may raise
            try:
                self.fail("%s: %s" % (type(error).__name__, error))
            except Exception:  # what failed before may fail again
                pass
            return None

    return call
