"""The peers' rows: name -> (prepare, run). Their operands are those that rows*.c state (bench.h), by the names of its
rows: `bench --list` prints them, in the sizes of GND_BENCH_SMALL if that is set."""

import json
import subprocess


class Rows(dict):
    """Rows of a module (numpy, cupy, torch). make(*shape, dtype=...) gives uniform numbers in [0, 1)."""

    def __init__(self, bench, xp, make):
        super().__init__()
        listed = subprocess.run([bench, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.listed, self.xp, self.make = json.loads(listed), xp, make

    def __call__(self, name, prepare, run):
        """A row with operands of its own, a tuple."""
        if name not in self.listed:
            raise ValueError(f"{name} is no row of gnd's")
        self[name] = (prepare, run)

    def same(self, name, run, change=None):
        """A row with the operands of gnd's, of which change(*operands), if it is there, makes others."""
        if self.listed[name] is None:
            raise ValueError(f"{name}: rows*.c state no operands")

        def prepare():
            operands = tuple(self.operand(said) for said in self.listed[name])
            return change(*operands) if change else operands

        self(name, prepare, run)

    def operand(self, said):
        if not isinstance(said, dict):
            return said  # a number
        dtype, shape, xp = getattr(self.xp, said["dtype"]), said["shape"], self.xp
        if "value" in said:
            return xp.full(tuple(shape), said["value"], dtype=dtype)
        if "below" in said:
            numbers = self.make(*shape, dtype=xp.float64) * said["below"]
            return numbers.to(dtype) if hasattr(numbers, "to") else numbers.astype(dtype)
        return self.make(*shape) > 0.5 if said["dtype"] == "bool" else self.make(*shape, dtype=dtype)
