"""SigMF recordings against files that Python's json and NumPy write and read: every datatype, channels, captures and
their headers, annotations, archives, and metadata that is malformed, hostile or changed at random."""

import copy
import ctypes
import io
import json
import math
import os
import tarfile

import numpy as np
import pytest

import gnd
from check import is_missing, refused
from test_samples import DATATYPES, encode, numbers, options, same, samples_of
from values import generator

pytestmark = pytest.mark.skipif(is_missing("cJSON"), reason="cJSON is not installed")


def struct():
    meta = gnd.STRUCTS["gnd_sigmf"]()
    return meta, ctypes.addressof(meta)


def text(pointer):
    return None if pointer is None else (pointer if isinstance(pointer, bytes) else ctypes.string_at(pointer)).decode()


def elements(pointer, kind, count):
    """The structs of an array."""
    address = ctypes.cast(pointer, ctypes.c_void_p).value
    return list((gnd.STRUCTS[kind] * count).from_address(address)) if count else []


def metadata(datatype="ri8", **more):
    return {"global": {"core:datatype": datatype, "core:version": "1.0.0", **more},
            "captures": [{"core:sample_start": 0}], "annotations": []}


def write(folder, meta, raw, name="one"):
    path = os.path.join(folder, name)
    with open(path + ".sigmf-meta", "w") as f:
        f.write(meta if isinstance(meta, str) else json.dumps(meta))
    with open(path + ".sigmf-data", "wb") as f:
        f.write(raw)
    return path


def read(path, count=-1, offset=0, at=None):
    return gnd.read_sigmf(path, count, offset, at, None)


@pytest.mark.parametrize("datatype", DATATYPES)
def test_read(tmp_path, datatype):
    x = numbers(generator("sigmf", datatype), datatype, 5000)
    path = write(tmp_path, metadata(datatype), encode(x, datatype))
    want = samples_of(x, datatype)
    for name in (path, path + ".sigmf-meta", path + ".sigmf-data"):
        same(read(name), want, datatype)
    same(read(path, 10, 20), want[20:30], datatype)
    file = gnd.sigmf_open(path, None, None)
    assert gnd.samples_count(file) == len(want)
    gnd.samples_seek(file, 100)
    same(gnd.samples_read(file, 50), want[100:150], datatype)
    gnd.samples_close(file)


def test_the_metadata(tmp_path):
    meta = metadata("cf32_le", **{"core:sample_rate": 2.5e6, "core:author": "Émilie", "core:description": "Two\nlines",
                                  "core:hw": "a coil", "antenna:gain": 3})
    meta["captures"] = [{"core:sample_start": 0, "core:frequency": 1e8, "core:datetime": "2020-01-02T03:04:05Z"},
                        {"core:sample_start": 7}]
    meta["annotations"] = [{"core:sample_start": 3, "core:sample_count": 4, "core:freq_lower_edge": -1.5,
                            "core:freq_upper_edge": 2.5, "core:label": "burst", "core:comment": "loud"},
                           {"core:sample_start": 5}]
    path = write(tmp_path, meta, np.zeros(10, "<c8").tobytes())
    m, at = struct()
    gnd.sigmf_load(path, at)
    for _ in range(2):
        assert text(m.datatype) == "cf32_le" and m.sample_rate == 2.5e6 and m.num_channels == 1
        assert (text(m.author), text(m.description), text(m.hw)) == ("Émilie", "Two\nlines", "a coil")
        assert json.loads(text(m.json)) == meta
        first, second = elements(m.captures, "gnd_sigmf_capture", m.capture_count)
        assert (first.sample_start, first.frequency, text(first.datetime)) == (0, 1e8, "2020-01-02T03:04:05Z")
        assert second.sample_start == 7 and math.isnan(second.frequency) and second.datetime is None
        first, second = elements(m.annotations, "gnd_sigmf_annotation", m.annotation_count)
        assert (first.sample_start, first.sample_count) == (3, 4)
        assert (first.freq_lower_edge, first.freq_upper_edge) == (-1.5, 2.5)
        assert (text(first.label), text(first.comment)) == ("burst", "loud")
        assert second.sample_count == -1 and math.isnan(second.freq_lower_edge) and second.label is None
        gnd.sigmf_release(at)
        assert m.json is None and m.memory is None and m.capture_count == 0
        assert gnd.read_sigmf(path, -1, 0, None, at).shape == (10,)
    gnd.sigmf_release(at)
    gnd.sigmf_release(None)


def test_channels_headers_and_trailers(tmp_path):
    x = generator("headers").integers(-99, 99, (100, 3)).astype("int16")
    raw = x.astype(">i2").tobytes()
    frame = 6
    with_headers = b"A" * 5 + raw[:10 * frame] + b"BB" + raw[10 * frame:40 * frame]
    with_headers += b"C" * 1000 + raw[40 * frame:] + b"end"
    meta = metadata("ri16_be", **{"core:num_channels": 3, "core:trailing_bytes": 3})
    starts = [(0, 5), (10, 2), (25, 0), (40, 1000)]
    meta["captures"] = [{"core:sample_start": at, "core:header_bytes": count} for at, count in starts]
    path = write(tmp_path, meta, with_headers)
    same(read(path), x.astype("float32"), "all")
    for begin, count in ((0, 10), (0, 11), (9, 2), (10, 30), (5, 80), (39, 1), (40, 60), (99, 1), (100, 0)):
        same(read(path, count, begin), x[begin:begin + count].astype("float32"), f"{begin} {count}")
    at, keep = options(dtype="int16", normalized=False)
    got = read(path, at=at)
    assert got.dtype == "int16" and (got.numpy() == x).all()
    plain = metadata("ri16_be", **{"core:dataset": "elsewhere.bin"})
    (tmp_path / "elsewhere.bin").write_bytes(raw)
    same(read(write(tmp_path, plain, b"", "two")), x.ravel().astype("float32"), "dataset")
    assert keep is not None


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archives(tmp_path, form):
    x = generator("archive").integers(-99, 99, 5000)
    raw, meta = encode(x, "ci16_le"), json.dumps(metadata("ci16_le")).encode()
    path = str(tmp_path / "one.sigmf")

    def archive(members):
        with tarfile.open(path, "w", format=form) as tar:
            for name, data in members:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))

    archive([("one/readme", b"hello"), ("one/one.sigmf-data", raw), ("one/one.sigmf-meta", meta)])
    same(read(path), samples_of(x, "ci16_le"), "archive")
    same(read(path, 10, 100), samples_of(x, "ci16_le")[100:110], "archive")
    whole = open(path, "rb").read()
    archive([("one.sigmf-meta", meta)])
    refused(lambda: read(path), gnd.ERROR_IO, "metadata only")
    m, at = struct()
    gnd.sigmf_load(path, at)
    assert text(m.datatype) == "ci16_le"
    gnd.sigmf_release(at)
    archive([("one.sigmf-data", raw)])
    refused(lambda: read(path), gnd.ERROR_IO, "no file of metadata")
    archive([("a.sigmf-meta", meta), ("b.sigmf-meta", meta)])
    refused(lambda: read(path), gnd.ERROR_IO, "more than one recording")
    # Cut off anywhere, or with a byte changed, it is an error or the same samples, and never a crash.
    g = generator("archive bytes")
    for at in [1, 100, 511, 512, 513, 1023, 1024, 1500, 2000, 5000, 11_000]:
        open(path, "wb").write(whole[:at])
        refused(lambda: read(path), gnd.ERROR_IO, "one.sigmf")
    for _ in range(300):
        broken = bytearray(whole)
        broken[g.integers(3 * 512 if g.random() < 0.7 else len(whole))] = g.integers(256)
        open(path, "wb").write(broken)
        try:
            read(path)
        except gnd.Error as e:
            assert e.code in (gnd.ERROR_IO, gnd.ERROR_VALUE), e


# ---- writing ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64",
                                   "complex64", "complex128"])
def test_write(tmp_path, dtype):
    x = generator("write", dtype).integers(0, 99, (50, 2)).astype(dtype)
    path = str(tmp_path / "new")
    gnd.write_sigmf(path, gnd.from_numpy(x), None)
    meta = json.load(open(path + ".sigmf-meta"))
    assert meta["global"]["core:num_channels"] == 2 and meta["global"]["core:version"] == "1.2.0"
    assert meta["captures"] == [{"core:sample_start": 0}] and meta["annotations"] == []
    assert open(path + ".sigmf-data", "rb").read() == x.tobytes()
    assert (read(path).numpy() == x).all()


def test_write_what_was_read(tmp_path):
    meta = metadata("ci16_be", **{"core:sample_rate": 123.456, "core:sha512": "00", "core:trailing_bytes": 1,
                                  "my:own": [1]})
    meta["captures"] = [{"core:sample_start": 0, "core:header_bytes": 4, "core:frequency": 5, "my:gain": 7}]
    meta["annotations"] = [{"core:sample_start": 1, "core:label": "é"}]
    x = generator("again").integers(-99, 99, 20)
    path = write(tmp_path, meta, b"head" + encode(x, "ci16_be") + b"t")
    m, at = struct()
    a = gnd.read_sigmf(path, -1, 0, None, at)
    new = str(tmp_path / "two")
    gnd.write_sigmf(new, a, at)
    want = copy.deepcopy(meta)
    del want["global"]["core:sha512"], want["global"]["core:trailing_bytes"], want["captures"][0]["core:header_bytes"]
    # Captures that the struct has take the place of the others: theirs are the members that it knows.
    del want["captures"][0]["my:gain"]
    assert json.load(open(new + ".sigmf-meta")) == want
    same(read(new), samples_of(x, "ci16_be"), "again")
    m.captures, m.annotations, m.json, memory = None, None, m.json, m.memory
    gnd.write_sigmf(new + ".sigmf-meta", a, at)
    want["captures"][0]["my:gain"] = 7
    assert json.load(open(new + ".sigmf-meta")) == want
    assert memory is not None
    gnd.sigmf_release(at)


def test_write_refuses(tmp_path):
    path, x = str(tmp_path / "no"), gnd.zeros((4,), "complex64")
    m, at = struct()
    refused(lambda: gnd.write_sigmf(None, x, None), gnd.ERROR_INVALID, "'path' is NULL")
    refused(lambda: gnd.write_sigmf(path, None, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.write_sigmf(path, gnd.zeros((2, 2, 2), None), None), gnd.ERROR_SHAPE, "(2, 2, 2)")
    refused(lambda: gnd.write_sigmf(path, gnd.zeros((2,), "int64"), None), gnd.ERROR_DTYPE, "no datatype for int64")
    refused(lambda: gnd.write_sigmf(path + ".sigmf", x, None), gnd.ERROR_INVALID, "only read")
    m.json = b"[1]"
    refused(lambda: gnd.write_sigmf(path, x, at), gnd.ERROR_VALUE, "no JSON object")
    m.json = b'{"global": 3}'
    refused(lambda: gnd.write_sigmf(path, x, at), gnd.ERROR_VALUE, '"global" of the metadata')
    m.json, m.sample_rate = None, math.inf
    refused(lambda: gnd.write_sigmf(path, x, at), gnd.ERROR_VALUE, "infinite")
    m.sample_rate, m.datatype = 0, b"ri8"
    refused(lambda: gnd.write_sigmf(path, x, at), gnd.ERROR_DTYPE, "real samples")
    assert os.listdir(tmp_path) == []


# ---- what is refused --------------------------------------------------------------------------------------

def changed(**changes):
    meta = metadata("ri8")
    for key, value in changes.items():
        meta["global"]["core:" + key] = value
    return meta


BAD = [
    ("", "no JSON"), ("{", "no JSON"), ('{"global": {}} x', "no JSON"), ("[" * 5000, "no JSON"), ("[]", "no object"),
    ("{}", "no object"), ('{"global": []}', "no object"), ('{"global": {}}', "is not there"), ("3", "no object"),
    (changed(datatype=5), "is no text"), (changed(datatype="ri7"), "no datatype"),
    (changed(datatype="ri16"), "no datatype"),
    (changed(num_channels=0), "no whole number"), (changed(num_channels=1.5), "no whole number"),
    (changed(num_channels=2**31), "too large"), (changed(num_channels="2"), "is no number"),
    (changed(num_channels=2**31 - 1), "no whole number of"), (changed(num_channels=3), "no whole number of"),
    (changed(sample_rate=-1), "not above 0"), (changed(sample_rate="fast"), "is no number"),
    (changed(trailing_bytes=-1), "no whole number"), (changed(trailing_bytes=11), "no whole number of"),
    (changed(trailing_bytes=2**60), "in its range"), (changed(metadata_only=True), "metadata only"),
    (changed(dataset="../secret"), "same folder"), (changed(dataset="/etc/passwd"), "same folder"),
    (changed(dataset=".."), "same folder"), (changed(dataset=""), "same folder"),
    (changed(dataset=["a"]), "is no text"), (changed(dataset="absent"), "cannot open"),
    ('{"global": {"core:datatype": "ri8", "core:sample_rate": 1e999}}', "no number"),
    ({**metadata(), "captures": {}}, "is no list"), ({**metadata(), "captures": [3]}, "no object"),
    ({**metadata(), "annotations": "x"}, "is no list"), ({**metadata(), "annotations": [[]]}, "no object"),
    ({**metadata(), "captures": [{"core:sample_start": -1}]}, "no whole number"),
    ({**metadata(), "captures": [{"core:sample_start": 5}, {"core:sample_start": 4}]}, "out of order"),
    ({**metadata(), "captures": [{"core:sample_start": 0, "core:header_bytes": 11}]}, "longer than the file"),
    ({**metadata(), "captures": [{"core:sample_start": 0, "core:header_bytes": 2**53}] * 3}, "longer than the file"),
    ({**metadata(), "captures": [{"core:sample_start": 0, "core:datetime": 3}]}, "is no text"),
    ({**metadata(), "annotations": [{"core:sample_start": 0, "core:sample_count": -3}]}, "no whole number"),
    ({**metadata(), "annotations": [{"core:sample_start": 0, "core:label": 3}]}, "is no text"),
]


@pytest.mark.parametrize("meta,why", BAD)
def test_bad_metadata(tmp_path, meta, why):
    path = write(tmp_path, meta, bytes(10))
    m, at = struct()
    error = gnd.ERROR_VALUE if why == "no datatype" else gnd.ERROR_IO
    refused(lambda: gnd.read_sigmf(path, -1, 0, None, at), error, why)
    assert m.memory is None and m.json is None and m.capture_count == 0


def test_files_that_are_not_there(tmp_path):
    path = str(tmp_path / "none")
    refused(lambda: read(path), gnd.ERROR_IO, "cannot open")
    refused(lambda: read(path, -2), gnd.ERROR_INVALID, "count is -2")
    refused(lambda: gnd.sigmf_load(path, None), gnd.ERROR_INVALID, "'meta' is NULL")
    refused(lambda: gnd.sigmf_load(None, None), gnd.ERROR_INVALID, "'path' is NULL")
    refused(lambda: gnd.sigmf_open(None, None, None), gnd.ERROR_INVALID, "'path' is NULL")
    path = write(tmp_path, metadata(), bytes(10))
    refused(lambda: read(path, 11), gnd.ERROR_IO, "has 10 samples")
    refused(lambda: read(path, -1, 11), gnd.ERROR_INDEX, "no sample 11")
    os.remove(path + ".sigmf-data")
    refused(lambda: read(path), gnd.ERROR_IO, "cannot open")
    with open(path + ".sigmf-meta", "wb") as f:
        f.truncate((64 << 20) + 1)
    refused(lambda: read(path), gnd.ERROR_IO, "more than 64 MiB")


def test_many_captures(tmp_path):
    """A hundred thousand are read in no more than linear time."""
    meta = metadata("ri8")
    meta["captures"] = [{"core:sample_start": k, "core:header_bytes": k % 2} for k in range(100_000)]
    raw = bytes(150_000)
    assert read(write(tmp_path, meta, raw), 10, 99_000).shape == (10,)


def test_metadata_changed_at_random(tmp_path):
    """Any change of a byte, or a cut, is an error with a sentence or metadata that is still good."""
    meta = metadata("ri16_be", **{"core:num_channels": 2, "core:sample_rate": 1e6, "core:trailing_bytes": 1})
    meta["captures"] = [{"core:sample_start": 0, "core:header_bytes": 3},
                        {"core:sample_start": 4, "core:frequency": 1e3}]
    meta["annotations"] = [{"core:sample_start": 3, "core:sample_count": 4, "core:label": "a\"\\\u1234"}]
    whole, g = json.dumps(meta).encode(), generator("fuzz")
    raw = bytes(4 + 40)
    for k in range(1500):
        broken = bytearray(whole)
        for _ in range(g.integers(1, 4)):
            kind, at = g.integers(3), g.integers(len(broken))
            if kind == 0:
                broken[at] = g.integers(256)
            elif kind == 1:
                del broken[at:at + g.integers(1, 9)]
            else:
                broken[at:at] = broken[g.integers(len(broken)):][:g.integers(1, 30)]
        path = write(tmp_path, "", raw)
        open(path + ".sigmf-meta", "wb").write(broken)
        try:
            read(path)
        except gnd.Error as e:
            assert e.code in (gnd.ERROR_IO, gnd.ERROR_VALUE, gnd.ERROR_MEMORY), (e, bytes(broken))
            assert len(e.message) > 20, (e, bytes(broken))
