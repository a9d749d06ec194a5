"""Begin and end of each bucket's all-reduce, by a communication hook.

Only for backends whose own operations do not show in a profile: a hook, which cannot be taken away again, replaces
DDP's own call of the backend. It does the same as DDP's default: divide by the number of ranks, all-reduce.
"""
import time

from longpole.marks import marks

SEEN_BACKENDS = {"nccl", "gloo", "mpi", "ucc"}  # the profiler shows an operation of its own for each
CHOSEN_LATER = {"", "undefined"}  # from 2.0 on: by the device of the tensors


def is_wanted(backend, setting):
    """setting: LONGPOLE_BUCKET_MARKS, None where it does not say. backend: "gloo", from 2.0 on "cpu:gloo,cuda:nccl"."""
    if setting is not None:
        return setting
    names = {part.rpartition(":")[2] for part in (backend or "").lower().split(",")}
    return not names & (SEEN_BACKENDS | CHOSEN_LATER)


def install(ddp, dist):
    """Whether the marks will come: a program's own hook stays, and there is room for one."""
    if ddp._get_ddp_logging_data().get("comm_hook"):
        return False
    group = ddp.process_group
    world = dist.get_world_size(group)

    def hook(_state, bucket):
        ready = time.time_ns()
        buffer, index = bucket.buffer(), bucket.index()
        nbytes = buffer.numel() * buffer.element_size()
        work = dist.all_reduce(buffer.div_(world), group=group, async_op=True)
        enqueued = time.time_ns()

        def done(future):
            end = time.time_ns()
            marks.add("allreduce bucket=%d bytes=%d" % (index, nbytes), "bucket %d" % index, ready, end,
                      {"bucket": index, "bytes": nbytes}, ready=ready, enqueued=enqueued, done=end)
            return future.value()[0]

        return work.get_future().then(done)

    ddp.register_comm_hook(None, hook)
    return True
