"""Lines on stderr, and the promise that a failing recorder does not fail the program."""
import functools
import os
import sys


def say(text):
    """One line on stderr, unless LONGPOLE_QUIET is set."""
    if os.environ.get("LONGPOLE_QUIET", "0") in ("", "0"):
        print("longpole: " + text, file=sys.stderr, flush=True)


def guarded(action):
    """A method of an object with `fail(reason)`: what it raises ends the recording instead of the program."""

    @functools.wraps(action)
    def call(self, *args, **kwargs):
        try:
            return action(self, *args, **kwargs)
        except Exception as error:  # whatever a framework's private parts may raise
            self.fail("%s: %s" % (type(error).__name__, error))
            return None

    return call
