"""From a recording to the groups that Horovod's optimizer gets: imports the sample, searches, exports, and runs the
exported module beside a stand-in for Horovod."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

LONGPOLE = sys.argv.pop(1)
SAMPLE = sys.argv.pop(1)


class Parameter:
    requires_grad = True

    def __init__(self, size):
        self.size = size

    def numel(self):
        return self.size // 4

    def element_size(self):
        return 4


class Model:
    """Its parameters' gradients become ready in the reverse order."""

    def __init__(self, tensors):
        self.named = [(one["name"], Parameter(one["bytes"])) for one in reversed(tensors)]

    def named_parameters(self):
        return iter(self.named)

    def parameters(self):
        return iter([parameter for _, parameter in self.named])


class Horovod(types.ModuleType):
    class Compression:
        fp16 = "fp16"

    def __init__(self):
        super().__init__("horovod.torch")

    def DistributedOptimizer(self, optimizer, **arguments):
        return arguments


def longpole(*arguments):
    return subprocess.run((LONGPOLE,) + arguments, check=True, capture_output=True, text=True).stdout


def module_of(path):
    sys.modules["horovod"] = types.ModuleType("horovod")
    sys.modules["horovod.torch"] = sys.modules["horovod"].torch = Horovod()
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ExportedHorovod(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = lambda name: os.path.join(cls.folder.name, name)
        longpole("import", SAMPLE, "-o", path("job.longpole"))
        longpole("optimize", path("job.longpole"), "-o", path("strategy.json"), "--passes", "bucket_cuts",
                 "--allow", "compressed")
        longpole("export", path("job.longpole"), "--strategy", path("strategy.json"), "--to", "horovod-groups",
                 "-o", path("longpole_horovod.py"))
        cls.module = module_of(path("longpole_horovod.py"))
        with open(path("strategy.json")) as file:
            cls.plan = {c["key"]: c["value"] for c in json.load(file)["changes"]}["gradients"]
        with open(os.path.join(SAMPLE, "meta.json")) as file:
            cls.tensors = [one for bucket in json.load(file)["buckets"] for one in bucket["parameters"]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def sizes_of(self, groups):
        return [[parameter.size for parameter in group] for group in groups]

    def wanted(self):
        sizes = [one["bytes"] for one in self.plan["tensors"]]
        return [sizes[one["tensors"][0]:one["tensors"][1] + 1] for one in self.plan["cycle"][0]]

    def test_the_groups_are_those_that_were_found(self):
        arguments = self.module.wrap(None, Model(self.tensors))
        self.assertGreater(len(self.wanted()), 2)
        self.assertEqual(self.sizes_of(arguments["groups"]), self.wanted())

    def test_without_names_it_is_the_reverse_of_the_parameters(self):
        self.module.NAMES, names = [], self.module.NAMES
        try:
            self.assertEqual(self.sizes_of(self.module.groups(Model(self.tensors))), self.wanted())
        finally:
            self.module.NAMES = names

    def test_another_model_is_refused(self):
        with self.assertRaisesRegex(ValueError, "parameters="):
            self.module.groups(None, [Parameter(4)])

    def test_horovod_neither_joins_nor_cuts_the_groups(self):
        self.assertEqual(os.environ["HOROVOD_DISABLE_GROUP_FUSION"], "1")
        self.assertGreater(int(os.environ["HOROVOD_FUSION_THRESHOLD"]), max(map(sum, self.wanted())))


if __name__ == "__main__":
    unittest.main()
