"""How gradients and parameters are grouped for communication: DDP's buckets, FSDP's units.

Everything asked here is private to PyTorch: what is missing in a version leaves its key away.
"""
import gc
import sys

DDP = "DistributedDataParallel"


def type_names(module):
    return [base.__name__ for base in type(module).__mro__]


def is_ddp(module):
    return DDP in type_names(module) and hasattr(module, "_get_ddp_logging_data")


def wrapped_modules():
    """DDP modules of this process, found among all objects; nothing of the program is patched for it."""
    parallel = sys.modules.get("torch.nn.parallel.distributed")
    kind = getattr(parallel, DDP, None)
    if kind is None:
        return []
    return [one for one in gc.get_objects() if issubclass(type(one), kind)]


def sharded_roots():
    """The outermost modules that FSDP wraps."""
    kinds = []
    for module, name in (("torch.distributed.fsdp.fully_sharded_data_parallel", "FullyShardedDataParallel"),
                         ("torch.distributed.fsdp._fully_shard._fully_shard", "FSDPModule"),
                         ("torch.distributed._composable.fsdp.fully_shard", "FSDPModule")):
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None:
            kinds.append(kind)
    found = [one for one in gc.get_objects() if issubclass(type(one), tuple(kinds))] if kinds else []
    inner = {id(child) for one in found for child in one.modules() if child is not one}
    return [one for one in found if id(one) not in inner]


def bytes_of(tensor):
    return tensor.numel() * tensor.element_size()


def reduced_parameters(ddp):
    """DDP's own numbering: each module's direct parameters that need a gradient, once, without ignored ones."""
    ignored = set(getattr(ddp, "parameters_to_ignore", ()))
    seen, found = set(), []
    for prefix, module in ddp.module.named_modules():
        for name, parameter in module.named_parameters(recurse=False):
            full = prefix + "." + name if prefix else name
            if parameter.requires_grad and id(parameter) not in seen and full not in ignored:
                seen.add(id(parameter))
                found.append((full, parameter))
    return found


def numbers(text):
    """"5 4, 3 2" is [[5, 4], [3, 2]]."""
    return [[int(word) for word in part.split()] for part in str(text or "").split(",") if part.strip()]


def ddp_buckets(ddp):
    """The buckets in the order in which they are reduced, once DDP has laid them out by the order of readiness (from
    the second iteration on); before that the order of construction."""
    log = ddp._get_ddp_logging_data()
    sizes = [one[0] for one in numbers(log.get("rebuilt_bucket_sizes") or log.get("bucket_sizes"))]
    groups = numbers(log.get("rebuilt_per_bucket_param_indices"))
    parameters = reduced_parameters(ddp)
    buckets = []
    for index, size in enumerate(sizes):
        bucket = {"bucket": index, "bytes": size}
        members = groups[index] if index < len(groups) else []
        if members and max(members) < len(parameters):
            bucket["parameters"] = [{"name": parameters[i][0], "bytes": bytes_of(parameters[i][1])} for i in members]
        buckets.append(bucket)
    return buckets


def ddp_settings(ddp):
    """What DDP was made with, in its own words."""
    log = ddp._get_ddp_logging_data()
    kept = ("bucket_cap_bytes", "find_unused_parameters", "gradient_as_bucket_view", "broadcast_buffers", "static_graph",
            "comm_hook", "has_rebuilt_buckets", "num_buckets_reduced")
    return {key: log[key] for key in kept if key in log}


def fsdp_units(root):
    """The groups of parameters that are gathered and reduced together, in the order of the modules."""
    units = []
    for name, module in root.named_modules():
        unit = fsdp1_unit(module) or fsdp2_unit(module)
        if unit:
            units.append(dict(unit, module=name))
    return units


def fsdp1_unit(module):
    handle = getattr(module, "_handle", None)
    if handle is None:  # before 2.1 there is a list, of one at most
        handle = next(iter(getattr(module, "_handles", None) or ()), None)
    flat = getattr(handle, "flat_param", None)
    names = getattr(flat, "_fqns", None) or getattr(flat, "_prefixed_param_names", None)
    if not names:
        return None
    size = flat.element_size()
    parameters = [{"name": name, "bytes": count * size} for name, count in zip(names, flat._numels)]
    return {"bytes": sum(one["bytes"] for one in parameters), "parameters": parameters,
            "sharding": str(getattr(handle, "_sharding_strategy", ""))}


def fsdp2_unit(module):
    state = module._get_fsdp_state() if hasattr(module, "_get_fsdp_state") else None
    group = getattr(state, "_fsdp_param_group", None)
    if group is None:
        return None
    parameters = []
    for one in group.fsdp_params:
        count = 1
        for length in one._orig_size:
            count *= length
        parameters.append({"name": one._param_fqn, "bytes": count * one.sharded_param.element_size()})
    return {"bytes": sum(one["bytes"] for one in parameters), "parameters": parameters,
            "reshard_after_forward": bool(getattr(group, "_reshard_after_forward", True))}
