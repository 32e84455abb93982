"""The peers' rows of rows_filter.c, and of whole signals in rows_stream.c, by the same names (peers_rows.py): SciPy's
and CuPy's own functions; PyTorch's, where one call is the same work."""

import importlib


def array_rows(xp, row):
    """The rows of SciPy and CuPy, which share a language."""
    import scipy.signal

    signal = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".signal")

    def polynomials(x, order, frequency):
        return x, *(xp.asarray(c, x.dtype) for c in scipy.signal.butter(order, frequency))

    def sections(x, order, frequency, *rest):
        return x, xp.asarray(scipy.signal.butter(order, frequency, output="sos"), x.dtype), *rest

    def fir(x, b):
        return x, b, xp.ones(1, b.dtype)

    for shape in ("1e7", "64x1e6", "1024x1e5"):
        row(f"filter.lfilter_iir4_{shape}", lambda x, b, a: signal.lfilter(b, a, x), polynomials)
        row(f"filter.sosfilt_4_{shape}", lambda x, sos: signal.sosfilt(sos, x), sections)
    for shape in ("1e7", "64x1e6"):
        row(f"filter.lfilter_fir128_{shape}", lambda x, b, a: signal.lfilter(b, a, x), fir)
        row(f"filter.savgol_11_3_{shape}", signal.savgol_filter)
    for name in ("sosfilt_8_1e7", "sosfilt_8_f64_1e7"):
        row(f"filter.{name}", lambda x, sos: signal.sosfilt(sos, x), sections)
    row("filter.filtfilt_4_1e7", lambda x, b, a: signal.filtfilt(b, a, x), polynomials)
    row("filter.sosfiltfilt_4_1e7", lambda x, sos: signal.sosfiltfilt(sos, x), sections)
    for name in ("3_2_1e7_61", "1_8_64x1e6_161"):
        row(f"filter.upfirdn_{name}", lambda x, h, up, down: signal.upfirdn(h, x, up, down))
    for name in ("160_147_1e7", "3_2_1e7", "2_3_1e7", "2_3_f64_1e8"):
        row(f"filter.resample_poly_{name}", lambda x, up, down: signal.resample_poly(x, up, down))
    row("filter.resample_fft_1e7_8e6", lambda x, n: signal.resample(x, n))
    for kind in ("iir", "fir"):
        row(f"filter.decimate_8_{kind}_1e7", lambda x, q, kind=kind: signal.decimate(x, q, ftype=kind))
    row("filter.hilbert_2p24", lambda x: signal.hilbert(x))
    row("filter.hilbert2_2048x2048", lambda x: signal.hilbert2(x))
    for kind in ("linear", "constant"):
        row(f"filter.detrend_{kind}_64x1e6", lambda x, kind=kind: signal.detrend(x, type=kind))
    row("filter.symiirorder1_1e7", lambda x, c0, z1: signal.symiirorder1(x, c0, z1))
    chunk_rows(signal, sections, row)
    spectra_rows(signal, row)
    if xp.__name__ == "numpy":
        row("filter.firfilter_128_1e7", lambda x, b, a: signal.lfilter(b, a, x), fir)
        row("filter.firfilter2_128_1e7", lambda x, b, a: signal.filtfilt(b, a, x), fir)
        row("filter.freq_shift_1e7", lambda x, f, fs: x * xp.exp(-2j * xp.pi * f / fs * xp.arange(x.size)))
        return
    from cupyx import signal as more

    row("filter.firfilter_128_1e7", lambda x, b: more.firfilter(b, x))
    row("filter.firfilter2_128_1e7", lambda x, b: more.firfilter2(b, x))
    row("filter.freq_shift_1e7", lambda x, f, fs: more.freq_shift(x, f, fs))
    row("filter.channelize_poly_64ch_16taps_2p24_c64", lambda x, h, n: more.channelize_poly(x, h, n))


def chunk_rows(signal, sections, row):
    """Chunks one behind the other, each begun with the state of the one before."""

    def feed(x, sos, zi, chunks=1):
        for _ in range(chunks):
            y, zi = signal.sosfilt(sos, x, zi=zi)
        return y

    def with_state(*given):
        x, sos, *chunks = sections(*given)
        return x, sos, signal.sosfilt_zi(sos).astype(sos.dtype) * 0, *chunks

    for name in ("stream_100x65536", "feed_1000"):
        row(f"filter.sosfilt_4_{name}", feed, with_state)


def common_spectra_rows(signal, row):
    """Those of SciPy, CuPy and JAX: short-time Fourier transforms of frames with a half of each in common, and back;
    power spectra."""
    for shape in ("1e7", "64x1e6"):
        row(f"stream.stft_{shape}", lambda x, n: signal.stft(x, nperseg=n)[2])
        row(f"stream.istft_{shape}", lambda z, n: signal.istft(z, nperseg=n)[1],
            lambda x, n: (signal.stft(x, nperseg=n)[2], n))
        row(f"sig.welch_{shape}", lambda x: signal.welch(x)[1])
    row("sig.csd_1e7", lambda x, y: signal.csd(x, y)[1])
    row("anchor.welch_1e8", lambda x, n: signal.welch(x, nperseg=n)[1])


def spectra_rows(signal, row):
    common_spectra_rows(signal, row)
    for shape in ("1e7", "64x1e6"):
        row(f"sig.spectrogram_{shape}", lambda x: signal.spectrogram(x)[2])
    row("sig.periodogram_2p24", lambda x: signal.periodogram(x)[1])
    row("anchor.spectrogram_1e8", lambda x: signal.spectrogram(x)[2])


def torch_rows(torch, row):
    FRAME = 256  # of SciPy's welch, csd and spectrogram, which have a step of 128, or of 224
    conv1d = torch.nn.functional.conv1d

    def fir(x, h, *rest):
        return x.reshape(-1, 1, x.shape[-1]), h.reshape(1, 1, -1), *rest

    def hann(x, n):
        return torch.hann_window(n, device=x.device)

    def window(*signals):
        return *signals, hann(signals[0], FRAME)

    def stft(x, w):
        return torch.stft(x, len(w), len(w) // 2, window=w, return_complex=True)

    def istft(z, w):
        return torch.istft(z, len(w), len(w) // 2, window=w)

    def spectra(x, n):
        return stft(x, hann(x, n)), hann(x, n)

    def frames(x, hop):
        parts = x.unfold(-1, FRAME, hop)
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

    for shape in ("1e7", "64x1e6"):
        row(f"stream.stft_{shape}", stft, lambda x, n: (x, hann(x, n)))
        row(f"stream.istft_{shape}", istft, spectra)
        row(f"sig.welch_{shape}", welch, window)
        row(f"sig.spectrogram_{shape}", spectrogram, window)
        row(f"filter.lfilter_fir128_{shape}", lambda x, h: conv1d(x, h, padding=h.shape[-1] - 1), fir)
    row("sig.csd_1e7", csd, window)
    row("sig.periodogram_2p24", periodogram)
    row("filter.upfirdn_1_8_64x1e6_161",
        lambda x, h, up, down: conv1d(x, h, padding=h.shape[-1] - 1, stride=down), fir)
