"""The peers' rows of rows_samples.c, by the same names: views, swaps and casts of NumPy and CuPy; files by fromfile."""

import os
import tempfile

from peers_linalg import size

COUNT, FILE_SAMPLES = 10_000_000, 40_000_000


def array_rows(xp, make, row):
    """The rows of NumPy and CuPy, which share a language."""
    import numpy

    def unpack(raw):
        """Bytes in the other order, to complex64."""
        pairs = raw.view("uint8").reshape(-1, 2)[:, ::-1]
        return xp.ascontiguousarray(pairs).view("int16").ravel().astype("float32").view("complex64")

    def pack(x):
        whole = xp.clip(xp.rint(x.view("float32")), -32768, 32767).astype("int16")
        return xp.ascontiguousarray(whole.view("uint8").reshape(-1, 2)[:, ::-1])

    if xp.__name__ == "numpy":
        def unpack(raw):
            return raw.view(">i2").astype("float32").view("complex64")

        def pack(x):
            return numpy.clip(numpy.rint(x.view("float32")), -32768, 32767).astype(">i2")

    def file_of(dtype, count):
        path = os.path.join(tempfile.mkdtemp(), "samples")
        numpy.zeros(count, dtype).tofile(path)
        return (path,)

    row("samples.unpack_ci16be_1e7", lambda: (make(size(COUNT)),), unpack)
    row("samples.pack_ci16be_1e7", lambda: (make(2 * size(COUNT)).view("complex64"),), pack)
    row("samples.read_cf32_320MB", lambda: file_of("<c8", size(FILE_SAMPLES)),
        lambda path: xp.fromfile(path, "complex64"))
    row("samples.read_ci16be_320MB", lambda: file_of(">i2", 4 * size(FILE_SAMPLES)),
        lambda path: unpack(xp.fromfile(path, "uint8")))
