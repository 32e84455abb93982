"""The peers' rows of rows_radar.c, by the same names (peers_rows.py): cupyx.signal's and torchaudio's own
functions, and their definitions in NumPy, CuPy and PyTorch where a library has none."""



def formulas(xp):
    """The functions by their definitions, in a library of arrays."""

    def compression(x, pulse):
        return xp.fft.ifft(xp.fft.fft(x) * xp.fft.fft(pulse, x.shape[-1]).conj())

    def doppler(x, window=None):
        return xp.fft.fft(x if window is None else x * window[:, None], axis=0)

    def ambgfun(x):
        n, bits = len(x), (2 * len(x) - 2).bit_length()
        x = x / xp.linalg.norm(x)
        between = xp.concatenate([xp.zeros(n - 1, x.dtype), x.conj(), xp.zeros(n - 1, x.dtype)])
        rows = xp.lib.stride_tricks.as_strided(between, (2 * n - 1, n), between.strides * 2)
        return xp.abs(xp.fft.fftshift(xp.fft.ifft(rows * x, 1 << bits, axis=1), axes=1)) * (1 << bits)

    def weights(c, v):
        solved = xp.linalg.solve(c, xp.broadcast_to(v[:, None], (*c.shape[:-1], 1)))[..., 0]
        return solved / (v.conj() * solved).sum(-1, keepdims=True)

    def beamformer(x, v):
        return weights(xp.cov(x).astype(x.dtype), v)

    def demodulate(x):
        return xp.diff(xp.unwrap(xp.angle(x)))

    return compression, doppler, ambgfun, beamformer, weights, demodulate


def covariances(a, v):
    """Products of matrices with their own conjugates, and the identity."""
    a = a @ a.conj().swapaxes(-1, -2)
    diagonal = range(a.shape[-1])
    a[..., diagonal, diagonal] += 1
    return a, v


def mel_filters(rate, n_fft, bands):
    """torchaudio's, of all frequencies."""
    import numpy as np

    top = rate / 2
    corners = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + top / 700), bands + 2) / 2595) - 1)
    slopes, width = corners - np.linspace(0, top, n_fft // 2 + 1)[:, None], np.diff(corners)
    return np.maximum(0, np.minimum(-slopes[:, :-2] / width[:-1], slopes[:, 2:] / width[1:])).astype("float32")


def tracks(xp):
    """Of measurements z also states, covariances, F and H, as rows_radar.c has them."""

    def change(z):
        n, identity = z.shape[1], xp.eye(4, dtype=z.dtype)
        f = identity + 0
        f[0, 2] = f[1, 3] = 1
        return z, xp.zeros((n, 4), dtype=z.dtype), identity + xp.zeros((n, 1, 1), dtype=z.dtype), f, identity[:2]

    return change


def run_tracks(inverse, z, x, p, f, h):
    """The steps of all tracks, each a few products of many small matrices."""
    q = f * 0
    for k in range(4):
        q[k, k] = 1
    r = q[:2, :2]
    for measured in z:
        x, p = x @ f.T, f @ p @ f.T + q
        gain = p @ h.T @ inverse(h @ p @ h.T + r)
        x = x + (gain @ (measured - x @ h.T)[..., None])[..., 0]
        rest = q - gain @ h
        p = rest @ p @ rest.swapaxes(-1, -2) + gain @ r @ gain.swapaxes(-1, -2)
    return x


def array_rows(xp, row):
    """The rows of NumPy and CuPy, which share a language."""
    compression, doppler, ambgfun, beamformer, weights, demodulate = formulas(xp)
    if xp.__name__ == "cupy":
        from cupyx import signal

        compression, doppler = signal.pulse_compression, signal.pulse_doppler
        beamformer = getattr(signal, "mvdr", beamformer)
    for name in ("128x9000_c128", "256x65536_c64"):
        row(f"radar.pulse_compression_{name}", compression)
    for name in ("512x65536_c64", "window_512x65536_c64"):
        row(f"radar.pulse_doppler_{name}", doppler)
    row("radar.ambgfun_2048_c64", ambgfun, lambda x, fs: (x,))
    row("radar.mvdr_64x1e5_c64", beamformer)
    row("radar.mvdr_weights_512x64x64_c64", weights, covariances)
    row("est.kalman_1e5x4_100steps", lambda *a: run_tracks(xp.linalg.inv, *a), tracks(xp))

    def mel(x, window, hop, bank):
        n = len(window)
        x = xp.pad(x, ((0, 0), (n // 2, n // 2)), mode="reflect")
        steps = (x.strides[0], x.strides[1] * hop, x.strides[1])
        frames = xp.lib.stride_tricks.as_strided(x, (len(x), (x.shape[1] - n) // hop + 1, n), steps)
        return (xp.abs(xp.fft.rfft(frames * window)) ** 2).astype(xp.float32) @ bank

    row("audio.melspectrogram_64x1e6_80", mel, lambda x, rate, n, hop, bands: (
        x, xp.hanning(n + 1)[:-1].astype(xp.float32), hop, xp.asarray(mel_filters(rate, n, bands))))
    row("radar.fm_demod_1e7", demodulate)


def torch_rows(torch, row):
    fft = torch.fft

    def compression(x, pulse):
        return fft.ifft(fft.fft(x) * fft.fft(pulse, x.shape[-1]).conj())

    def weights(c, v):
        solved = torch.linalg.solve(c, v.expand(*c.shape[:-1]))
        return solved / (v.conj() * solved).sum(-1, keepdim=True)

    def ambgfun(x):
        n, count = len(x), 1 << (2 * len(x) - 2).bit_length()
        x = x / torch.linalg.norm(x)
        between = torch.nn.functional.pad(x.conj().resolve_conj(), (n - 1, n - 1))
        rows = between.as_strided((2 * n - 1, n), (1, 1))
        return fft.fftshift(fft.ifft(rows * x, count, dim=1), dim=1).abs() * count

    def audio(x, rate, n, hop, bands, *coefficients):
        """A transform of torchaudio's, where it is installed."""
        import torchaudio

        given = {"n_fft": n, "hop_length": hop, "n_mels": bands}
        if coefficients:
            made = torchaudio.transforms.MFCC(rate, *coefficients, melkwargs=given)
        else:
            made = torchaudio.transforms.MelSpectrogram(rate, **given)
        return x, made.to(x.device)

    for name in ("melspectrogram_64x1e6_80", "mfcc_64x1e6_40"):
        row(f"audio.{name}", lambda x, transform: transform(x), audio)
    for name in ("128x9000_c128", "256x65536_c64"):
        row(f"radar.pulse_compression_{name}", compression)
    row("radar.pulse_doppler_512x65536_c64", lambda x: fft.fft(x, dim=0))
    row("radar.pulse_doppler_window_512x65536_c64", lambda x, w: fft.fft(x * w[:, None], dim=0))
    row("radar.ambgfun_2048_c64", ambgfun, lambda x, fs: (x,))
    row("radar.mvdr_64x1e5_c64", lambda x, v: weights(torch.cov(x), v))
    row("radar.mvdr_weights_512x64x64_c64", weights, covariances)
    row("est.kalman_1e5x4_100steps", lambda *a: run_tracks(torch.linalg.inv, *a), tracks(torch))
