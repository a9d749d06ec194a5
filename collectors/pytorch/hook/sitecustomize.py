# Python imports the first sitecustomize that it finds at its start. This one, put first by `longpole profile`, starts
# the recorder and hands over to the one that would have been imported without it. Python 2 can read it.
import sys


def _hand_over():
    import os
    import importlib.util
    here = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    finder = importlib.machinery.PathFinder
    spec = finder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _start():
    try:
        from longpole import start
        start.start()
    except Exception as error:
        sys.stderr.write("longpole: the recorder does not start: %s\n" % error)


if sys.version_info >= (3, 7):
    import importlib.machinery
    _start()
    _hand_over()
