"""WAV files against scipy.io.wavfile, both ways."""

import ctypes
import os
import struct

import numpy as np
import pytest
from scipy.io import wavfile

import gnd
import values
from check import assert_same, refused

g = np.random.default_rng(0)
DTYPES = ["uint8", "int16", "int32", "int64", "float32", "float64"]


def load(path):
    rate = ctypes.c_int()
    return gnd.load_wav(str(path), ctypes.addressof(rate)), rate.value


@pytest.mark.parametrize("name", DTYPES)
def test_both_ways(tmp_path, name):
    ours, theirs = tmp_path / "a.wav", tmp_path / "b.wav"
    for shape in [(0,), (1,), (7,), (1000,), (5, 1), (8, 2), (100, 6), (33, 3)]:
        for layout in values.layouts(shape):
            base = values.random_values(name, layout.base, g)
            x = np.ascontiguousarray(values.apply_numpy(base, layout.steps))
            gnd.save_wav(str(ours), gnd.view(base, layout.steps), 44100, 0)
            wavfile.write(theirs, 44100, x)
            if x.nbytes % 2 == 0:
                assert ours.read_bytes() == theirs.read_bytes(), f"{layout.name} {shape}"
            want = x[:, 0] if shape[1:] == (1,) else x
            if x.size:
                rate, back = wavfile.read(ours)
                assert rate == 44100 and back.dtype == x.dtype and back.tobytes() == want.tobytes()
            for path in (ours, theirs):
                got, rate = load(path)
                assert rate == 44100
                assert_same(got, want, f"{layout.name} {shape}")


def test_24_bits(tmp_path):
    path = tmp_path / "a.wav"
    for shape in [(1000,), (33, 3)]:
        x = g.integers(-2**31, 2**31, size=shape).astype(np.int32)
        gnd.save_wav(str(path), gnd.from_numpy(x), 96000, 24)
        rate, want = wavfile.read(path)
        assert rate == 96000 and np.array_equal(want, x & ~255)
        assert_same(load(path)[0], want)


def chunk(name, data, order="<"):
    return name + struct.pack(order + "I", len(data)) + data + b"\0" * (len(data) % 2)


@pytest.mark.parametrize("form", ["RIFF", "RIFX"])
def test_forms_that_scipy_reads(tmp_path, form):
    path = tmp_path / "a.wav"
    order = ">" if form == "RIFX" else "<"
    for kind, bits, channels in [(1, 8, 1), (1, 16, 2), (1, 24, 1), (1, 24, 2), (1, 32, 3), (1, 64, 1), (3, 32, 2),
                                 (3, 64, 1), (1, 12, 1), (1, 4, 2), (1, 20, 1)]:
        size = (bits + 7) // 8
        data = g.integers(0, 256, size=10 * channels * size, dtype=np.uint8).tobytes()
        plain = struct.pack(order + "HHIIHH", kind, channels, 48000, 48000 * size * channels, size * channels, bits)
        extended = struct.pack(order + "HHIIHHHHI", 0xFFFE, channels, 48000, 48000 * size * channels, size * channels,
                               bits, 22, bits, 4) + struct.pack(order + "IHH", kind, 0, 16) + \
            b"\x80\x00\x00\xaa\x00\x38\x9b\x71"
        for fmt in (plain, extended):
            body = b"WAVE" + chunk(b"LIST", b"odd", order) + chunk(b"fmt ", fmt, order) + chunk(b"data", data, order)
            path.write_bytes(form.encode() + struct.pack(order + "I", len(body)) + body)
            rate, want = wavfile.read(path)
            got, our_rate = load(path)
            assert rate == our_rate == 48000
            assert_same(got, want.astype(want.dtype.newbyteorder("=")), f"{form} {kind} {bits} {channels}")


def test_rf64(tmp_path):
    path = tmp_path / "a.wav"
    x = g.normal(size=(50, 2)).astype(np.float32)
    fmt = struct.pack("<HHIIHH", 3, 2, 8000, 64000, 8, 32)
    for name in (b"RF64", b"BW64"):
        body = b"WAVE" + chunk(b"ds64", struct.pack("<QQQI", 0, x.nbytes, 50, 0)) + chunk(b"fmt ", fmt) + \
            b"data" + struct.pack("<I", 0xFFFFFFFF) + x.tobytes()
        path.write_bytes(name + struct.pack("<I", 0xFFFFFFFF) + body)
        assert_same(load(path)[0], x)
    path.write_bytes(path.read_bytes()[:-1])
    refused(lambda: load(path), gnd.ERROR_IO, "truncated")


def test_pipes(tmp_path):
    """A pipe is read as a file is, if the sound says how long it is."""

    def piped(data):
        reader, writer = os.pipe()
        os.write(writer, data)
        os.close(writer)
        try:
            return load(f"/dev/fd/{reader}")[0]
        finally:
            os.close(reader)

    path = tmp_path / "a.wav"
    x = np.arange(50, dtype=np.int16)
    gnd.save_wav(str(path), gnd.from_numpy(x), 8000, 0)
    data = path.read_bytes()
    assert_same(piped(data), x)
    unknown = data[:40] + b"\xff" * 4 + data[44:]  # as programs write it that write into a pipe
    path.write_bytes(unknown)
    assert_same(load(path)[0], x)
    refused(lambda: piped(unknown), gnd.ERROR_IO, "how long its samples are")
