"""Mel filters, mel spectrograms, cepstral coefficients and decibels against NumPy, written from torchaudio's published
definitions in float64; against torchaudio itself and librosa where they are installed."""

import numpy as np
import pytest

import dtypes
import gnd
from check import refused
from test_resample import strided
from values import generator

SCALES = {"htk": gnd.MEL_HTK, "slaney": gnd.MEL_SLANEY}
PADS = {"reflect": gnd.AUDIO_REFLECT, "constant": gnd.AUDIO_ZEROS, "edge": gnd.AUDIO_EDGE, None: gnd.AUDIO_NOT_CENTERED}
REAL = [d for d in dtypes.NAMES if d not in dtypes.COMPLEX]
NARROW = ("float16", "bfloat16", "float32")


# ---- the definitions --------------------------------------------------------------------------------------


def hz_to_mel(f, scale):
    if scale == "htk":
        return 2595.0 * np.log10(1.0 + f / 700.0)
    return 15.0 + np.log(f / 1000.0) / (np.log(6.4) / 27.0) if f >= 1000 else f * 3 / 200


def mel_to_hz(m, scale):
    if scale == "htk":
        return 700.0 * (10.0 ** (m / 2595.0) - 1.0)
    return 1000.0 * np.exp(np.log(6.4) / 27.0 * (m - 15)) if m >= 15 else m * 200 / 3


def filters(n_freqs, rate=16000.0, n_mels=128, f_min=0.0, f_max=None, scale="htk", slaney=False):
    frequencies = np.linspace(0, rate / 2, n_freqs)
    ends = [hz_to_mel(f, scale) for f in (f_min, rate / 2 if f_max is None else f_max)]
    corners = np.array([mel_to_hz(m, scale) for m in np.linspace(*ends, n_mels + 2)])
    width = np.diff(corners)
    slopes = corners[None] - frequencies[:, None]
    bank = np.maximum(0, np.minimum(-slopes[:, :-2] / width[:-1], slopes[:, 2:] / width[1:]))
    return bank * (2 / (corners[2:] - corners[:-2])) if slaney else bank


def melspectrogram(x, bank, n_fft=400, win_length=None, hop=None, pad=0, pad_mode="reflect", power=2.0,
                   normalized=False, window=None):
    length = win_length or n_fft
    hop = hop or length // 2
    w = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length) if window is None else window
    left = (n_fft - length) // 2
    w = np.pad(w, (left, n_fft - length - left))
    x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(pad, pad)])
    if pad_mode is not None:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)], mode=pad_mode)
    frames = np.lib.stride_tricks.sliding_window_view(x, n_fft, axis=-1)[..., ::hop, :]
    spectra = np.fft.rfft(frames * w)
    if normalized:
        spectra = spectra / np.sqrt((w**2).sum())
    return np.moveaxis(np.abs(spectra) ** power @ bank, -1, -2)


def decibels(x, multiplier, amin=1e-10, ref=1.0, top_db=None):
    y = multiplier * np.log10(np.maximum(x, amin)) - multiplier * np.log10(max(ref, amin))
    if top_db is None or y.size == 0:
        return y
    return np.maximum(y, y.max(axis=tuple(range(-min(3, y.ndim), 0)), keepdims=True) - top_db)


def cosines(n, count, plain):
    d = np.cos(np.pi / n * (np.arange(n)[:, None] + 0.5) * np.arange(count))
    if plain:
        return 2 * d
    d[:, 0] /= np.sqrt(2)
    return d * np.sqrt(2 / n)


# ---- how they are called ----------------------------------------------------------------------------------


def mel_options(rate=0, n_mels=0, f_min=0.0, f_max=None, scale="htk", slaney=False):
    return gnd.STRUCTS["gnd_mel_options"](sample_rate=rate, n_mels=n_mels, f_min=f_min, f_max=f_max or 0,
                                          scale=SCALES[scale], norm=int(slaney))


def spectrum_options(mel, n_fft=0, win_length=None, hop=None, pad=0, pad_mode="reflect", power=0.0, normalized=False,
                     window=None):
    return gnd.STRUCTS["gnd_melspectrogram_options"](
        mel=mel, n_fft=n_fft, win_length=win_length or 0, hop_length=hop or 0, pad=pad, pad_mode=PADS[pad_mode],
        power=power, normalized=normalized, window=window.pointer if window else None)


def near(got, want, dtype, context, bound=1.0, size=1e-30):
    """size: of what the result is a difference of."""
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    allowed = bound * (3e-6 if dtype == "float32" else 1e-12) * np.abs(want).max(initial=size)
    error = np.abs(got.numpy() - want).max(initial=0)
    assert error <= allowed, f"{context}: off by {error}, more than {allowed}"


def result(dtype):
    return "float32" if dtype in NARROW else "float64"


# ---- the mel scale ----------------------------------------------------------------------------------------


def test_scales():
    for name, scale in SCALES.items():
        for f in (0.0, 60.0, 440.0, 999.9, 1000.0, 1000.1, 8000.0, 22050.0):
            mel = gnd.hz_to_mel(f, scale)
            assert mel == pytest.approx(hz_to_mel(f, name), rel=1e-14, abs=1e-14)
            assert gnd.mel_to_hz(mel, scale) == pytest.approx(f, rel=1e-13, abs=1e-12)
    # Published values: 1000 Hz are 15 of Slaney's mels, and 999.99 of HTK's.
    assert gnd.hz_to_mel(1000.0, gnd.MEL_SLANEY) == 15.0
    assert gnd.hz_to_mel(1000.0, gnd.MEL_HTK) == pytest.approx(999.9855, abs=1e-3)
    assert gnd.hz_to_mel(60.0, gnd.MEL_SLANEY) == pytest.approx(0.9)


BANKS = [(201, {}), (513, {"rate": 22050.0, "n_mels": 80}),
         (1025, {"rate": 22050.0, "scale": "slaney", "slaney": True}),
         (65, {"n_mels": 20, "f_min": 300.0, "f_max": 3400.0, "rate": 8000.0}), (33, {"n_mels": 1}),
         (40, {"n_mels": 60, "scale": "slaney"}),
         (101, {"rate": 11025.0, "f_max": 9000.0, "n_mels": 12, "slaney": True}),
         (2, {"n_mels": 3}), (1, {"n_mels": 2})]


@pytest.mark.parametrize("n_freqs,bank", BANKS)
def test_mel_filters(n_freqs, bank):
    want = filters(n_freqs, **bank)
    for dtype, bound in (("float64", 1e-13), ("float32", 1e-7), ("float16", 1e-3)):
        got = gnd.mel_filters(n_freqs, mel_options(**bank), dtype)
        assert got.dtype == dtype and got.shape == want.shape
        assert np.abs(got.numpy().astype("float64") - want).max() <= bound * max(1, want.max()), (n_freqs, bank, dtype)
    assert gnd.mel_filters(n_freqs, mel_options(**bank), None).dtype == "float32"


def test_mel_filters_known():
    """Bands of area 1 have that; others are of height 1 and add up to 1 between the first and the last peak."""
    got = gnd.mel_filters(2001, mel_options(rate=8000.0, n_mels=5, slaney=True), "float64").numpy()
    assert np.allclose(got.sum(axis=0) * 2.0, 1, atol=1e-4)
    flat = gnd.mel_filters(2001, mel_options(rate=8000.0, n_mels=5), "float64").numpy()
    assert flat.max() <= 1 and (flat.max(axis=0) > 0.99).all()
    first, last = flat[:, 0].argmax(), flat[:, -1].argmax()
    assert np.allclose(flat[first + 1:last].sum(axis=1), 1)


def test_filters_refuse():
    refused(lambda: gnd.mel_filters(0, None, "float32"), gnd.ERROR_VALUE, "gnd_mel_filters", "0 frequencies")
    refused(lambda: gnd.mel_filters(9, mel_options(n_mels=-1), "float32"), gnd.ERROR_VALUE, "-1 bands")
    refused(lambda: gnd.mel_filters(9, mel_options(rate=-5), "float32"), gnd.ERROR_VALUE, "-5")
    refused(lambda: gnd.mel_filters(9, mel_options(f_min=500.0, f_max=400.0), "float32"), gnd.ERROR_VALUE, "500", "400")
    refused(lambda: gnd.mel_filters(9, None, "int32"), gnd.ERROR_DTYPE, "int32")
    bad = mel_options()
    bad.scale = 2
    refused(lambda: gnd.mel_filters(9, bad, "float32"), gnd.ERROR_INVALID, "2")


# ---- spectrograms -----------------------------------------------------------------------------------------

# Shape, options of the bank, options of the frames: lengths that a GPU does in one launch, and others.
SPECTRA = [((3000,), {}, {}),
           ((2, 1500), {"n_mels": 40}, {"n_fft": 128, "hop": 50}),
           ((2, 3, 999), {"n_mels": 23, "slaney": True}, {"n_fft": 256, "pad_mode": "constant"}),
           ((5000,), {"n_mels": 80, "rate": 22050.0}, {"n_fft": 1024, "hop": 256}),
           ((5001,), {"n_mels": 64, "scale": "slaney"}, {"n_fft": 2048, "hop": 512, "pad_mode": "edge"}),
           ((9000,), {"n_mels": 30, "f_min": 100.0, "f_max": 5000.0}, {"n_fft": 4096, "hop": 1001, "pad_mode": None}),
           ((20000,), {"n_mels": 128}, {"n_fft": 8192, "hop": 4096}),
           ((20000,), {"n_mels": 16}, {"n_fft": 16384, "hop": 5000}),
           ((1, 700), {"n_mels": 20}, {"n_fft": 512, "win_length": 399, "hop": 100, "normalized": True}),
           ((700,), {"n_mels": 20}, {"n_fft": 300, "win_length": 200, "pad": 33}),
           ((600,), {"n_mels": 10}, {"n_fft": 512, "power": 1.0}),
           ((600,), {"n_mels": 10}, {"n_fft": 200, "power": 0.6}),
           ((600,), {"n_mels": 10}, {"n_fft": 512, "power": 3.0, "pad": 5, "pad_mode": None}),
           ((3, 300), {"n_mels": 300}, {"n_fft": 64, "hop": 17}),
           ((300,), {"n_mels": 4}, {"n_fft": 37, "hop": 11}),
           ((5, 257), {"n_mels": 9}, {"n_fft": 512, "hop": 1}),
           ((0, 500), {"n_mels": 9}, {"n_fft": 128})]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape,bank,frames", SPECTRA)
def test_melspectrogram(dtype, shape, bank, frames):
    g = generator("mel", dtype, str(shape), str(frames))
    x = (g.normal(size=shape) + 0.1).astype(dtype)
    filter_bank = filters(frames.get("n_fft", 400) // 2 + 1, **bank)
    want = melspectrogram(x.astype("float64"), filter_bank, **frames)
    got = gnd.melspectrogram(gnd.from_numpy(x), spectrum_options(mel_options(**bank), **frames))
    near(got, want, dtype, (shape, bank, frames))
    length = frames.get("win_length") or frames.get("n_fft", 400)
    window = g.random(length)
    want = melspectrogram(x.astype("float64"), filter_bank, window=window, **frames)
    kept = gnd.from_numpy(window)
    got = gnd.melspectrogram(gnd.from_numpy(x), spectrum_options(mel_options(**bank), window=kept, **frames))
    near(got, want, dtype, (shape, bank, frames, "window"))


@pytest.mark.parametrize("dtype", REAL)
def test_dtypes_and_strides(dtype):
    g = generator("mel dtypes", dtype)
    for shape in ((2, 400), (3, 2, 150)):
        a, x = strided(g, shape, dtype)
        wide = dtypes.wide(x).astype("float64")
        for n_fft in (128, 100):
            want = melspectrogram(wide, filters(n_fft // 2 + 1, n_mels=12), n_fft)
            got = gnd.melspectrogram(a, spectrum_options(mel_options(n_mels=12), n_fft))
            near(got, want, result(dtype), (shape, n_fft))


def test_slices():
    """More bins than a slice has, of one line and of many."""
    g = generator("mel slices")
    for shape in ((120_000,), (70, 3000)):
        x = g.normal(size=shape)
        want = melspectrogram(x, filters(151, n_mels=20), 300, hop=37)
        got = gnd.melspectrogram(gnd.from_numpy(x), spectrum_options(mel_options(n_mels=20), 300, hop=37))
        near(got, want, "float64", shape)


def test_layout():
    """The bands of a frame lie side by side."""
    x = gnd.from_numpy(np.ones((3, 1000), "float32"))
    got = gnd.melspectrogram(x, spectrum_options(mel_options(n_mels=8), 256))
    assert got.shape == (3, 8, 8) and got.strides == (256, 4, 32)


def test_melspectrogram_refuses():
    x = gnd.from_numpy(np.ones(300, "float32"))
    call = gnd.melspectrogram
    refused(lambda: call(gnd.from_numpy(np.ones(300, "complex64")), None), gnd.ERROR_DTYPE, "gnd_melspectrogram",
            "complex64")
    refused(lambda: call(gnd.from_numpy(np.array(1.0)), None), gnd.ERROR_SHAPE, "0 dimensions")
    refused(lambda: call(gnd.from_numpy(np.ones(200)), None), gnd.ERROR_SHAPE, "200 samples", "400", "mirrored")
    refused(lambda: call(x, spectrum_options(mel_options(), 512, pad_mode=None)), gnd.ERROR_SHAPE, "300", "512")
    refused(lambda: call(gnd.from_numpy(np.ones(0)), None), gnd.ERROR_SHAPE, "0 samples")
    refused(lambda: call(x, spectrum_options(mel_options(), 100, win_length=101)), gnd.ERROR_VALUE, "101")
    refused(lambda: call(x, spectrum_options(mel_options(), -4)), gnd.ERROR_VALUE, "-4")
    refused(lambda: call(x, spectrum_options(mel_options(), hop=-1)), gnd.ERROR_VALUE, "-1")
    refused(lambda: call(x, spectrum_options(mel_options(), power=-1.0)), gnd.ERROR_VALUE, "-1")
    window = gnd.from_numpy(np.ones(5))
    refused(lambda: call(x, spectrum_options(mel_options(), window=window)), gnd.ERROR_SHAPE, "(5,)", "400")
    bad = spectrum_options(mel_options())
    bad.pad_mode = 9
    refused(lambda: call(x, bad), gnd.ERROR_INVALID, "9")
    refused(lambda: call(None, None), gnd.ERROR_INVALID, "x")


# ---- cepstral coefficients --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("log_mels", [False, True])
def test_mfcc(dtype, log_mels):
    g = generator("mfcc", dtype)
    for shape, n_fft, n_mels, count in (((4000,), 512, 40, 13), ((2, 3, 2000), 400, 64, 40), ((2, 1000), 256, 20, 20)):
        x = g.normal(size=shape).astype(dtype)
        x[..., : shape[-1] // 3] *= 1e-7
        for plain in (False, True):
            mel = melspectrogram(x.astype("float64"), filters(n_fft // 2 + 1, n_mels=n_mels), n_fft)
            loud = np.log(mel + 1e-6) if log_mels else decibels(mel, 10, top_db=80)
            want = np.moveaxis(np.moveaxis(loud, -1, -2) @ cosines(n_mels, count, plain), -1, -2)
            o = spectrum_options(mel_options(n_mels=n_mels), n_fft)
            room = gnd.STRUCTS["gnd_mfcc_options"]()
            room.mel, room.log_mels, room.plain = gnd.ctypes.addressof(o), log_mels, plain
            near(gnd.mfcc(gnd.from_numpy(x), count, room), want, dtype, (shape, plain), 3)
    assert gnd.mfcc(gnd.from_numpy(np.ones(900)), 0, None).shape == (40, 5)
    refused(lambda: gnd.mfcc(gnd.from_numpy(np.ones(900)), 129, None), gnd.ERROR_VALUE, "gnd_mfcc", "129", "128")
    refused(lambda: gnd.mfcc(None, 5, None), gnd.ERROR_INVALID, "x")


# ---- decibels ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
def test_decibels(dtype):
    g = generator("db", dtype)
    for shape in ((), (50,), (3, 20), (2, 3, 4, 5), (0, 4)):
        a, x = strided(g, shape, dtype)
        x = dtypes.wide(x).astype("float64")
        for options in ({}, {"top_db": 15.0}, {"ref": 2.5, "amin": 1e-5}, {"ref": 1e-12, "amin": 1e-3, "top_db": 3.0}):
            o = gnd.STRUCTS["gnd_db_options"](**options)
            for call, multiplier in ((gnd.power_to_db, 10), (gnd.amplitude_to_db, 20)):
                near(call(a, o), decibels(x, multiplier, **options), result(dtype), (shape, options), size=100)
        y = x if dtype in dtypes.INTEGERS or dtype == "bool" else 20 * x
        b = gnd.from_numpy(dtypes.cast(y, dtype))
        y = dtypes.wide(b.numpy()).astype("float64")
        near(gnd.db_to_power(b, 2.0), 2 * 10 ** (y / 10), result(dtype), shape, 10)
        near(gnd.db_to_amplitude(b, 0.5), 0.5 * 10 ** (y / 20), result(dtype), shape, 10)


def test_decibels_refuse():
    x = gnd.from_numpy(np.ones(3, "complex64"))
    for call in (gnd.power_to_db, gnd.amplitude_to_db):
        refused(lambda call=call: call(x, None), gnd.ERROR_DTYPE, "_to_db", "complex64")
        refused(lambda call=call: call(gnd.from_numpy(np.ones(3)), gnd.STRUCTS["gnd_db_options"](top_db=-1.0)),
                gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.db_to_power(x, 1.0), gnd.ERROR_DTYPE, "gnd_db_to_power")
    refused(lambda: gnd.db_to_amplitude(x, 1.0), gnd.ERROR_DTYPE, "gnd_db_to_amplitude")


# ---- the libraries ----------------------------------------------------------------------------------------


def test_torchaudio():
    """Its corners of filters are float32: they are off by up to 5e-4 of some 20 Hz."""
    torch = pytest.importorskip("torch")
    torchaudio = pytest.importorskip("torchaudio")
    x = generator("torch").normal(size=(2, 5000)).astype("float32")
    t = torch.from_numpy(x)
    for n_fft, hop, n_mels, scale, norm in ((400, 200, 128, "htk", None), (1024, 256, 80, "slaney", "slaney")):
        bank = torchaudio.functional.melscale_fbanks(n_fft // 2 + 1, 0.0, 8000.0, n_mels, 16000, norm, scale).numpy()
        o = mel_options(n_mels=n_mels, scale=scale, slaney=norm is not None)
        assert np.abs(gnd.mel_filters(n_fft // 2 + 1, o, "float32").numpy() - bank).max() < 1e-4
        mel = torchaudio.transforms.MelSpectrogram(n_fft=n_fft, hop_length=hop, n_mels=n_mels, norm=norm,
                                                   mel_scale=scale)
        want = mel(t).numpy().astype("float64")
        near(gnd.melspectrogram(gnd.from_numpy(x), spectrum_options(o, n_fft, hop=hop)), want, "float32", n_fft, 100)
    want = torchaudio.transforms.MFCC(n_mfcc=40)(t).numpy().astype("float64")
    near(gnd.mfcc(gnd.from_numpy(x), 40, None), want, "float32", "mfcc", 100)


def test_librosa():
    librosa = pytest.importorskip("librosa")
    want = librosa.filters.mel(sr=22050, n_fft=2048, n_mels=90).T
    got = gnd.mel_filters(1025, mel_options(rate=22050.0, n_mels=90, scale="slaney", slaney=True), "float32").numpy()
    assert np.abs(got - want).max() <= 1e-6 * want.max()
