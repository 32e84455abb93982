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

    def __call__(self, name, run, change=None):
        """A row: run(*operands), with gnd's operands, of which change(*operands), if it is there, makes others."""
        if name not in self.listed:
            raise ValueError(f"{name} is no row of gnd's")

        def prepare():
            operands = tuple(self.operand(said) for said in self.listed[name])
            return change(*operands) if change else operands

        self[name] = (prepare, run)

    def operand(self, said):
        if not isinstance(said, dict):
            return said  # a size or a parameter
        dtype, shape, xp = getattr(self.xp, said["dtype"]), tuple(said["shape"]), self.xp
        if "value" in said:
            return xp.full(shape, said["value"], dtype=dtype)
        if "to" in said:
            return xp.linspace(said["from"], said["to"], *shape, dtype=dtype)
        if "centred" in said:
            return self.centred(said["dtype"], dtype, shape)
        if said["dtype"] == "bool":
            numbers, below = self.make(*shape), said.get("below")
            return numbers > 0.5 if below is None else numbers < below
        if "below" in said:
            numbers = self.make(*shape, dtype=xp.float64) * said["below"]
            return numbers.to(dtype) if hasattr(numbers, "to") else numbers.astype(dtype)
        return self.make(*shape, dtype=dtype)

    def centred(self, name, dtype, shape):
        """Real and imaginary parts in [-0.5, 0.5)."""
        if not name.startswith("complex"):
            return self.make(*shape, dtype=dtype) - 0.5
        real = self.xp.float64 if name == "complex128" else self.xp.float32
        return (self.make(*shape[:-1], 2 * shape[-1], dtype=real) - 0.5).view(dtype)
