"""The peers' rows of rows_samples.c, by the same names (peers_rows.py): views, swaps and casts of NumPy and CuPy; files
by fromfile."""

import os
import tempfile


def array_rows(xp, row):
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

    def file_of(dtype, per_sample):
        def change(samples):
            path = os.path.join(tempfile.mkdtemp(), "samples")
            numpy.zeros(samples * per_sample, dtype).tofile(path)
            return (path,)

        return change

    row("samples.unpack_ci16be_1e7", unpack)
    row("samples.pack_ci16be_1e7", pack)
    row("samples.read_cf32_320MB", lambda path: xp.fromfile(path, "complex64"), file_of("<c8", 1))
    row("samples.read_ci16be_320MB", lambda path: unpack(xp.fromfile(path, "uint8")), file_of(">i2", 2))
