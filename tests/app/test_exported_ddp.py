"""From a recording to the buckets that DDP really builds: imports the sample, searches, exports,
and runs a job of two processes with the exported module."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
    import torch.distributed
    import torch.multiprocessing
except ImportError:
    print("SKIP : test_exported_ddp: PyTorch is not installed (python3-torch)")
    sys.exit(77)

LONGPOLE = sys.argv.pop(1)
SAMPLE = sys.argv.pop(1)


class Chain(torch.nn.Module):
    """Parameters that are used one after the other, the last of `sizes` first."""

    def __init__(self, sizes):
        super().__init__()
        self.chain = torch.nn.ParameterList(
            torch.nn.Parameter(torch.ones(size // 4)) for size in reversed(sizes))

    def forward(self, x):
        for parameter in self.chain:
            x = x * parameter.mean()
        return x


def train(rank, module_file, sizes, folder):
    torch.distributed.init_process_group(
        "gloo", init_method="file://" + os.path.join(folder, "store"), rank=rank, world_size=2)
    spec = importlib.util.spec_from_file_location("exported", module_file)
    exported = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(exported)
    model = exported.wrap(Chain(sizes))
    for _ in range(3):
        model(torch.ones(1)).sum().backward()
    if rank == 0:
        data = model._get_ddp_logging_data()
        with open(os.path.join(folder, "buckets"), "w") as out:
            out.write(data.get("rebuilt_bucket_sizes") or data["bucket_sizes"])
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def longpole(*arguments):
    return subprocess.run((LONGPOLE,) + arguments, check=True, capture_output=True, text=True).stdout


class ExportedDdp(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.project = os.path.join(self.folder.name, "job.longpole")
        longpole("import", SAMPLE, "-o", self.project)

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def buckets_of(self, *search):
        """Bytes of the buckets that were found, and of those that DDP builds."""
        strategy_file, module_file = self.path("strategy.json"), self.path("exported_ddp.py")
        longpole("optimize", self.project, "-o", strategy_file, *search)
        longpole("export", self.project, "--strategy", strategy_file, "--to", "pytorch-ddp",
                 "-o", module_file)
        with open(strategy_file) as file:
            changes = {c["key"]: c["value"] for c in json.load(file)["changes"]}
        plan = changes["gradients"]
        sizes = [tensor["bytes"] for tensor in plan["tensors"]]
        wanted = [sum(sizes[b["tensors"][0]:b["tensors"][1] + 1]) for b in plan["cycle"][0]]
        torch.multiprocessing.start_processes(
            train, (module_file, sizes, self.folder.name), nprocs=2, start_method="fork")
        with open(self.path("buckets")) as file:
            return wanted, [int(size) for size in file.read().split(",")]

    def test_the_buckets_are_those_that_were_found(self):
        wanted, built = self.buckets_of("--passes", "bucket_cuts")
        self.assertGreater(len(wanted), 2)
        self.assertEqual(built, wanted)


if __name__ == "__main__":
    unittest.main()
