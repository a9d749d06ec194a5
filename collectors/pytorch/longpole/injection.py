"""Longpole's library in the CUDA driver (CUDA_INJECTION64_PATH): it records kernels, and CUPTI has room for one recorder
only. It records from CUDA's start on, until told otherwise."""
import ctypes
import os


def loaded():
    """The copy that the driver has loaded into this process, if any."""
    path = os.environ.get("CUDA_INJECTION64_PATH", "")
    if "longpole" not in os.path.basename(path):
        return None
    try:
        return ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:  # no CUDA in this process
        return None


def call(name):
    """The result of a function of the library that takes nothing; None without it."""
    function = getattr(loaded(), name, None)
    return function() if function is not None else None


def records_kernels():
    """Whether torch.profiler must leave the kernels to it."""
    return bool(call("longpole_cupti_active"))


def start():
    call("longpole_start")


def stop():
    """Until the next start()."""
    call("longpole_stop")
