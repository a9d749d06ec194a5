"""Which process of which job this is, by the launcher's environment and, where it runs, torch.distributed."""
import os
import socket
import sys

RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "HOROVOD_RANK")
WORLD_SIZE = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "HOROVOD_SIZE")
LOCAL_RANK = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "HOROVOD_LOCAL_RANK")

# Of the environment only what changes how fast a job is; nothing that may be secret.
TELLING = ("NCCL_", "TORCH_NCCL_", "GLOO_", "UCX_", "OMP_", "MKL_", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS",
           "CUDA_LAUNCH_BLOCKING", "PYTORCH_CUDA_ALLOC_CONF", "HOROVOD_", "BYTEPS_", "DMLC_NUM_", "SLURM_NNODES",
           "SLURM_NTASKS")


def number(names, default):
    """The first of the variables that is a number."""
    for name in names:
        text = os.environ.get(name, "")
        if text.isdigit():
            return int(text)
    return default


def byteps_rank():
    """BytePS numbers hosts and their GPUs; absent without its variables."""
    if "DMLC_WORKER_ID" not in os.environ:
        return None
    per_host = number(("BYTEPS_LOCAL_SIZE",), 1)
    return number(("DMLC_WORKER_ID",), 0) * per_host + number(("BYTEPS_LOCAL_RANK",), 0)


def distributed():
    """torch.distributed where it is there and initialised; the module is only looked up, never imported."""
    dist = sys.modules.get("torch.distributed")
    if dist is None or not dist.is_available() or not dist.is_initialized():
        return None
    return dist


class Job:
    """rank, world_size, local_rank, backend (None without torch.distributed), host."""

    def __init__(self):
        self.host = socket.gethostname()
        self.local_rank = number(LOCAL_RANK, None)
        self.backend = None
        dist = distributed()
        if dist is not None:
            self.rank, self.world_size, self.backend = dist.get_rank(), dist.get_world_size(), dist.get_backend()
        else:
            self.rank = number(RANK, byteps_rank() or 0)
            self.world_size = number(WORLD_SIZE, 1)

    def process(self):
        """What ties this process's recording to the other recordings of its host."""
        return {"host": self.host, "pid": os.getpid(), "boot_id": boot_id(), "local_rank": self.local_rank,
                "environment": {name: value for name, value in sorted(os.environ.items()) if name.startswith(TELLING)}}


def boot_id():
    """Equal for processes that share their clocks."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return None
