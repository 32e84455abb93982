"""The peers' rows of rows_filter.c, and of whole signals in rows_stream.c, by the same names: SciPy's and CuPy's own
functions; PyTorch's, where one call is the same work."""

from peers_linalg import size

LINE = 10_000_000


def coefficients():
    """Butterworth low-passes, as in rows_filter.c: b and a, and sections of order 4 and 8."""
    import scipy.signal

    design = scipy.signal.butter
    return design(4, 0.2), design(4, 0.2, output="sos"), design(8, 0.2, output="sos")


def array_rows(xp, make, row):
    """The rows of SciPy and CuPy, which share a language."""
    import importlib

    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")
    (b, a), sections4, sections8 = coefficients()
    f32, f64 = xp.float32, xp.float64

    def signal_with(shape, *constants, dtype=f32):
        return lambda: (make(*shape, dtype=dtype), *(xp.asarray(c, dtype) for c in constants))

    def with_taps(shape, n):
        def prepare():
            taps = make(n)
            return make(*shape), taps / taps.sum(), xp.ones(1, f32)

        return prepare

    line, channels, many = (size(LINE),), (64, size(1_000_000)), (1024, size(100_000))
    for name, shape in (("1e7", line), ("64x1e6", channels), ("1024x1e5", many)):
        row(f"filter.lfilter_iir4_{name}", signal_with(shape, b, a), lambda x, b, a: signal.lfilter(b, a, x))
        row(f"filter.sosfilt_4_{name}", signal_with(shape, sections4), lambda x, sos: signal.sosfilt(sos, x))
    for name, shape in (("1e7", line), ("64x1e6", channels)):
        row(f"filter.lfilter_fir128_{name}", with_taps(shape, 128), lambda x, b, a: signal.lfilter(b, a, x))
    row("filter.sosfilt_8_1e7", signal_with(line, sections8), lambda x, sos: signal.sosfilt(sos, x))
    row("filter.sosfilt_8_f64_1e7", signal_with(line, sections8, dtype=f64), lambda x, sos: signal.sosfilt(sos, x))
    row("filter.filtfilt_4_1e7", signal_with(line, b, a), lambda x, b, a: signal.filtfilt(b, a, x))
    row("filter.sosfiltfilt_4_1e7", signal_with(line, sections4), lambda x, sos: signal.sosfiltfilt(sos, x))
    row("filter.upfirdn_3_2_1e7_61", with_taps(line, 61), lambda x, h, _: signal.upfirdn(h, x, 3, 2))
    row("filter.upfirdn_1_8_64x1e6_161", with_taps(channels, 161), lambda x, h, _: signal.upfirdn(h, x, 1, 8))
    for up, down in ((160, 147), (3, 2), (2, 3)):
        row(f"filter.resample_poly_{up}_{down}_1e7", lambda: (make(*line),),
            lambda x, up=up, down=down: signal.resample_poly(x, up, down))
    row("filter.resample_poly_2_3_f64_1e8", lambda: (make(size(100_000_000), dtype=f64),),
        lambda x: signal.resample_poly(x, 2, 3))
    row("filter.resample_fft_1e7_8e6", lambda: (make(*line),), lambda x: signal.resample(x, x.size // 5 * 4))
    for kind in ("iir", "fir"):
        row(f"filter.decimate_8_{kind}_1e7", lambda: (make(*line),),
            lambda x, kind=kind: signal.decimate(x, 8, ftype=kind))
    row("filter.hilbert_2p24", lambda: (make(size(1 << 24)),), lambda x: signal.hilbert(x))
    row("filter.hilbert2_2048x2048", lambda: (make(size(2048), size(2048)),), lambda x: signal.hilbert2(x))
    for kind in ("linear", "constant"):
        row(f"filter.detrend_{kind}_64x1e6", lambda: (make(*channels),),
            lambda x, kind=kind: signal.detrend(x, type=kind))
    for name, shape in (("1e7", line), ("64x1e6", channels)):
        row(f"filter.savgol_11_3_{name}", lambda shape=shape: (make(*shape),), lambda x: signal.savgol_filter(x, 11, 3))
    row("filter.symiirorder1_1e7", lambda: (make(*line),), lambda x: signal.symiirorder1(x, 0.5, 0.5))
    chunk_rows(signal, signal_with, sections4, row)
    spectra_rows(signal, make, row)
    shared_rows(xp, signal, with_taps, make, row)


def chunk_rows(signal, signal_with, sections, row):
    """Chunks one behind the other, each begun with the state of the one before."""

    def state(xp_sections):
        return signal.sosfilt_zi(xp_sections).astype(xp_sections.dtype) * 0

    def feed(x, sos, zi, chunks=1):
        for _ in range(chunks):
            y, zi = signal.sosfilt(sos, x, zi=zi)
        return y

    def prepare(n):
        make_signal = signal_with((n,), sections)

        def operands():
            x, sos = make_signal()
            return x, sos, state(sos)

        return operands

    row("filter.sosfilt_4_stream_100x65536", prepare(size(65536)), lambda x, sos, zi: feed(x, sos, zi, 100))
    row("filter.sosfilt_4_feed_1000", prepare(1000), feed)


def spectra_rows(signal, make, row):
    """Short-time Fourier transforms of frames of 256 samples, 128 apart, and back; power spectra."""

    def spectra(shape):
        return lambda: (signal.stft(make(*shape), nperseg=256)[2],)

    for name, shape in (("1e7", (size(LINE),)), ("64x1e6", (64, size(1_000_000)))):
        row(f"stream.stft_{name}", lambda shape=shape: (make(*shape),), lambda x: signal.stft(x, nperseg=256)[2])
        row(f"stream.istft_{name}", spectra(shape), lambda z: signal.istft(z, nperseg=256)[1])
        row(f"sig.welch_{name}", lambda shape=shape: (make(*shape),), lambda x: signal.welch(x)[1])
        row(f"sig.spectrogram_{name}", lambda shape=shape: (make(*shape),), lambda x: signal.spectrogram(x)[2])
    row("sig.csd_1e7", lambda: (make(size(LINE)), make(size(LINE))), lambda x, y: signal.csd(x, y)[1])
    row("sig.periodogram_2p24", lambda: (make(size(1 << 24)),), lambda x: signal.periodogram(x)[1])
    row("anchor.welch_1e8", lambda: (make(size(10 * LINE), dtype="float64"),),
        lambda x: signal.welch(x, nperseg=1024)[1])
    row("anchor.spectrogram_1e8", lambda: (make(size(10 * LINE), dtype="float64"),),
        lambda x: signal.spectrogram(x)[2])


def shared_rows(xp, signal, with_taps, make, row):
    """What cuSignal and CuPy have, and how SciPy's users write it."""
    line = (size(LINE),)
    if xp.__name__ == "numpy":
        row("filter.firfilter_128_1e7", with_taps(line, 128), lambda x, b, a: signal.lfilter(b, a, x))
        row("filter.firfilter2_128_1e7", with_taps(line, 128), lambda x, b, a: signal.filtfilt(b, a, x))
        row("filter.freq_shift_1e7", lambda: (make(*line),),
            lambda x: x * xp.exp(-2j * xp.pi * 0.1 * xp.arange(x.size)))
        return
    from cupyx import signal as more

    row("filter.firfilter_128_1e7", with_taps(line, 128), lambda x, b, _: more.firfilter(b, x))
    row("filter.firfilter2_128_1e7", with_taps(line, 128), lambda x, b, _: more.firfilter2(b, x))
    row("filter.freq_shift_1e7", lambda: (make(*line),), lambda x: more.freq_shift(x, 0.1, 1.0))
    row("filter.channelize_poly_64ch_16taps_2p24_c64",
        lambda: (make(size(1 << 24), dtype=xp.complex64), make(64 * 16)), lambda x, h: more.channelize_poly(x, h, 64))


def torch_rows(torch, make):
    conv1d = torch.nn.functional.conv1d

    def fir(rows, n, taps):
        return lambda: (make(rows, 1, size(n)), make(1, 1, taps))

    def sizes(shape):
        return [n if n == 64 else size(n) for n in shape]

    def window():
        return torch.hann_window(256, device=make(1).device)

    def signals(*shape):
        return lambda: (make(*sizes(shape)), window())

    def stft(x, w):
        return torch.stft(x, 256, 128, window=w, return_complex=True)

    def frames(x, hop):
        parts = x.unfold(-1, 256, hop)
        return parts - parts.mean(-1, keepdim=True)

    def powers(x, w, hop):
        z = torch.fft.rfft(frames(x, hop) * (w / (w * w).sum().sqrt()))
        return z.real.square() + z.imag.square()

    def welch(x, w):
        p = powers(x, w, 128).mean(-2)
        p[..., 1:-1] *= 2
        return p

    def spectrogram(x, w):
        p = powers(x, w, 224)
        p[..., 1:-1] *= 2
        return p

    def csd(x, y, w):
        w = w / (w * w).sum().sqrt()
        p = (torch.fft.rfft(frames(x, 128) * w).conj() * torch.fft.rfft(frames(y, 128) * w)).mean(-2)
        p[..., 1:-1] *= 2
        return p

    def periodogram(x):
        z = torch.fft.rfft(x - x.mean())
        p = (z.real.square() + z.imag.square()) / x.numel()
        p[1:-1] *= 2
        return p

    def transformed(*shape):
        return lambda: (stft(make(*sizes(shape)), window()), window())

    def istft(z, w):
        return torch.istft(z, 256, 128, window=w)

    return {
        "stream.stft_1e7": (signals(LINE), stft),
        "stream.stft_64x1e6": (signals(64, 1_000_000), stft),
        "sig.welch_1e7": (signals(LINE), welch),
        "sig.welch_64x1e6": (signals(64, 1_000_000), welch),
        "sig.spectrogram_1e7": (signals(LINE), spectrogram),
        "sig.spectrogram_64x1e6": (signals(64, 1_000_000), spectrogram),
        "sig.csd_1e7": (lambda: (make(size(LINE)), make(size(LINE)), window()), csd),
        "sig.periodogram_2p24": (lambda: (make(size(1 << 24)),), periodogram),
        "stream.istft_1e7": (transformed(LINE), istft),
        "stream.istft_64x1e6": (transformed(64, 1_000_000), istft),
        "filter.lfilter_fir128_1e7": (fir(1, LINE, 128), lambda x, h: conv1d(x, h, padding=127)),
        "filter.lfilter_fir128_64x1e6": (fir(64, 1_000_000, 128), lambda x, h: conv1d(x, h, padding=127)),
        "filter.upfirdn_1_8_64x1e6_161": (fir(64, 1_000_000, 161), lambda x, h: conv1d(x, h, padding=160, stride=8)),
    }
