"""What docs/pytest.md uses of pytest, for machines that have none: fixture, raises, and a run of test_*.py."""
import glob
import importlib
import sys


class Raised:
    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        return self

    def __exit__(self, kind, value, _trace):
        assert kind is not None and issubclass(kind, self.kind), f"no {self.kind.__name__}"
        self.value = value
        return True


def fixture(function):
    return function


def raises(kind):
    return Raised(kind)


class Request:
    def __init__(self, name):
        self.node = type("Node", (), {"name": name})


def main():
    sys.modules["pytest"] = sys.modules["__main__"]
    fixtures = importlib.import_module("conftest")
    passed = 0
    for file in sorted(glob.glob("test_*.py")):
        module = importlib.import_module(file[:-3])
        for name in [each for each in dir(module) if each.startswith("test_")]:
            getattr(module, name)(fixtures.account(Request(name)))
            passed += 1
    print(f"{passed} passed")


if __name__ == "__main__":
    main()
