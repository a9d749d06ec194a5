"""What to record: the environment wins over the program's own words, so that a command line can change it."""
import os

DEFAULT_WARMUP = 5
DEFAULT_ITERATIONS = 6


def flag(name, default):
    """Whether a variable is on; "auto" and an empty one are the default."""
    text = os.environ.get(name, "").strip().lower()
    return default if text in ("", "auto") else text not in ("0", "no", "off", "false")


def count(name, given, default, least):
    """A number from a variable, else `given` if it is one, else `default`; at least `least`."""
    text = os.environ.get(name, "").strip()
    if text.isdigit():
        return max(least, int(text))
    return max(least, given if isinstance(given, int) else default)


class Settings:
    """The settings of one recording."""

    def __init__(self, out=None, warmup=None, iterations=None):
        self.out = os.path.abspath(os.environ.get("LONGPOLE_OUT") or out or "longpole-traces")
        self.warmup = count("LONGPOLE_WARMUP", warmup, DEFAULT_WARMUP, 1)
        self.iterations = count("LONGPOLE_ITERATIONS", iterations, DEFAULT_ITERATIONS, 1)
        self.memory = flag("LONGPOLE_MEMORY", False)
        self.execution_trace = flag("LONGPOLE_EXECUTION_TRACE", False)
        self.bucket_marks = flag("LONGPOLE_BUCKET_MARKS", None)
