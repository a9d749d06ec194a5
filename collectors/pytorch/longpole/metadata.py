"""meta.json: what the job is, for people and for `longpole import`. Rank 0 writes it."""
import json
import math
import statistics
import sys

from longpole import layout
from longpole.trace_file import whole

MEBIBYTE = 1024 * 1024


def attempt(target, key, action):
    """target[key] = action(), or why not: private parts of a framework differ from version to version."""
    try:
        value = action()
    except Exception as error:
        target.setdefault("not_recorded", {})[key] = "%s: %s" % (type(error).__name__, error)
        return
    if value:
        target[key] = value


def versions(torch):
    cuda = getattr(torch.version, "cuda", None)
    found = {"torch_version": torch.__version__, "cuda_version": cuda}
    if cuda and torch.cuda.is_available():
        found["device"] = torch.cuda.get_device_name()
        attempt(found, "nccl_version", lambda: ".".join(map(str, torch.cuda.nccl.version())))
    return {key: value for key, value in found.items() if value}


def model_facts(models):
    """Sizes of all parameters of the outermost modules."""
    parameters = {id(p): p for model in models for p in model.parameters()}.values()
    buffers = {id(b): b for model in models for b in model.buffers()}.values()
    return {"model": ", ".join(type(getattr(model, "module", model)).__name__ for model in models),
            "parameters": sum(p.numel() for p in parameters),
            "gradient_bytes": sum(layout.bytes_of(p) for p in parameters if p.requires_grad),
            "buffers_bytes": sum(layout.bytes_of(b) for b in buffers)}


def parameter_table(models):
    return [{"name": name, "bytes": layout.bytes_of(p), "dtype": str(p.dtype).replace("torch.", ""),
             "shape": list(p.shape), "requires_grad": p.requires_grad}
            for model in models for name, p in getattr(model, "module", model).named_parameters()]


def optimizer_facts(optimizers):
    return [{"class": type(one).__name__,
             "groups": [{key: value for key, value in group.items()
                         if isinstance(value, (int, float, bool, str)) or value is None}
                        for group in one.param_groups]} for one in optimizers]


def reduction_facts(models):
    """Buckets of the first DDP module (a second one is rare: a GAN), units of FSDP."""
    facts = {}
    for model in models:
        if layout.is_ddp(model) and "buckets" not in facts:
            attempt(facts, "ddp", lambda one=model: layout.ddp_settings(one))
            attempt(facts, "buckets", lambda one=model: layout.ddp_buckets(one))
            cap = facts.get("ddp", {}).get("bucket_cap_bytes")
            if isinstance(cap, int) and cap > 0:
                facts["bucket_cap_mb"] = cap / MEBIBYTE
    units = []
    for model in models:
        attempt(facts, "fsdp_units", lambda one=model: units.extend(layout.fsdp_units(one)) or units)
    return facts


def process_groups():
    """Names and ranks of all groups that this rank is in."""
    c10d = sys.modules.get("torch.distributed.distributed_c10d")
    groups = getattr(getattr(c10d, "_world", None), "pg_group_ranks", None) or getattr(c10d, "_pg_group_ranks", {})
    names = getattr(getattr(c10d, "_world", None), "pg_names", None) or getattr(c10d, "_pg_names", {})
    return [{"name": str(names.get(group, "")), "ranks": sorted(int(rank) for rank in ranks)}
            for group, ranks in groups.items() if ranks]


def milliseconds(durations_ns):
    return round(statistics.median(durations_ns) / 1e6, 3) if durations_ns else None


def median_error(durations_ns):
    """Standard error of the median as a fraction of it: sqrt(pi / 2) times that of the mean, as of normal noise."""
    error = math.sqrt(math.pi / 2) * statistics.stdev(durations_ns) / math.sqrt(len(durations_ns))
    return error / statistics.median(durations_ns)


def timing(unrecorded_ns, recorded_ns):
    """Medians of this rank, what the recording cost by them, and the standard errors of both: a difference that does
    not exceed them is noise."""
    facts = {"unrecorded_iteration_ms": milliseconds(unrecorded_ns), "unrecorded_iterations": len(unrecorded_ns),
             "recorded_iteration_ms": milliseconds(recorded_ns), "recorded_iterations": len(recorded_ns)}
    if unrecorded_ns and recorded_ns:
        ratio = statistics.median(recorded_ns) / statistics.median(unrecorded_ns)
        facts["overhead_fraction"] = round(ratio - 1, 4)
        if min(len(unrecorded_ns), len(recorded_ns)) > 1:
            facts["unrecorded_error_fraction"] = round(median_error(unrecorded_ns), 6)
            facts["recorded_error_fraction"] = round(median_error(recorded_ns), 6)
    return facts


def write_json(path, content):
    """The whole file or none."""
    with whole(path) as partial, open(partial, "w") as file:
        json.dump(content, file, indent=1, default=str)
