"""The peers' rows of rows_radar.c, by the same names: cupyx.signal's and torchaudio's own functions, and their
definitions in NumPy, CuPy and PyTorch where a library has none."""

from peers_linalg import size


def noise(xp, make, shape, dtype):
    real = xp.float64 if dtype == xp.complex128 else xp.float32
    return (make(*shape[:-1], 2 * shape[-1], dtype=real) - 0.5).view(dtype)


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


def covariances(a):
    a = a @ a.conj().swapaxes(-1, -2)
    a[..., range(64), range(64)] += 1
    return a


def mel_filters():
    """torchaudio's for 513 bins up to 8 kHz, 80 bands."""
    import numpy as np

    corners = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + 8000 / 700), 82) / 2595) - 1)
    slopes, width = corners - np.linspace(0, 8000, 513)[:, None], np.diff(corners)
    return np.maximum(0, np.minimum(-slopes[:, :-2] / width[:-1], slopes[:, 2:] / width[1:])).astype("float32")


def tracks(xp, make):
    """Measurements, states, covariances, F and H, as rows_radar.c has them."""
    n, one = size(100_000), make(1)
    f = xp.eye(4) * (one / one)
    f[0, 2] = f[1, 3] = 1
    identity = xp.eye(4) * (one / one)
    return make(100, n, 2), make(n, 4) * 0, (make(n, 1, 1) * 0 + 1) * identity, f, identity[:2]


def run_tracks(inverse, z, x, p, f, h):
    """100 steps of all tracks, each a few products of many small matrices."""
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


def array_rows(xp, make, row):
    """The rows of NumPy and CuPy, which share a language."""
    compression, doppler, ambgfun, beamformer, weights, demodulate = formulas(xp)
    if xp.__name__ == "cupy":
        from cupyx import signal

        compression, doppler = signal.pulse_compression, signal.pulse_doppler
        beamformer = getattr(signal, "mvdr", beamformer)
    c64, c128 = xp.complex64, xp.complex128

    def of(*shapes, dtype=c64):
        return lambda: tuple(noise(xp, make, shape, dtype) for shape in shapes)

    row("radar.pulse_compression_128x9000_c128", of((128, size(9000)), (size(1000),), dtype=c128), compression)
    row("radar.pulse_compression_256x65536_c64", of((size(256), size(65536)), (size(4096),)), compression)
    row("radar.pulse_doppler_512x65536_c64", of((size(512), size(65536))), doppler)
    row("radar.pulse_doppler_window_512x65536_c64",
        lambda: (*of((size(512), size(65536)))(), make(size(512))), doppler)
    row("radar.ambgfun_2048_c64", of((size(2048),)), ambgfun)
    row("radar.mvdr_64x1e5_c64", of((64, size(100_000)), (64,)), beamformer)
    row("radar.mvdr_weights_512x64x64_c64",
        lambda: (covariances(noise(xp, make, (size(512), 64, 64), c64)), noise(xp, make, (64,), c64)), weights)
    row("est.kalman_1e5x4_100steps", lambda: tracks(xp, make), lambda *a: run_tracks(xp.linalg.inv, *a))
    bank, window = xp.asarray(mel_filters()), xp.hanning(1025)[:-1].astype(xp.float32)

    def mel(x):
        x = xp.pad(x, ((0, 0), (512, 512)), mode="reflect")
        steps = (x.strides[0], x.strides[1] * 256, x.strides[1])
        frames = xp.lib.stride_tricks.as_strided(x, (len(x), (x.shape[1] - 1024) // 256 + 1, 1024), steps)
        return (xp.abs(xp.fft.rfft(frames * window)) ** 2).astype(xp.float32) @ bank

    row("audio.melspectrogram_64x1e6_80", lambda: (make(64, size(1_000_000)) - 0.5,), mel)
    row("radar.fm_demod_1e7", of((size(10_000_000),)), demodulate)


def torch_rows(torch, make):
    fft = torch.fft

    def of(*shapes, dtype=torch.complex64):
        real = torch.float64 if dtype == torch.complex128 else torch.float32

        def one(shape):
            return torch.view_as_complex((make(*shape, 2) - 0.5).to(real))

        return lambda: tuple(one(shape) for shape in shapes)

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

    def prepared():
        a, v = of((size(512), 64, 64), (64,))()
        return covariances(a), v

    def audio(transform, **options):
        """Of torchaudio, where it is installed."""

        def prepare():
            import torchaudio

            made = getattr(torchaudio.transforms, transform)(**options).to(make(1).device)
            return make(64, size(1_000_000)) - 0.5, made

        return prepare, lambda x, made: made(x)

    frames = {"n_fft": 1024, "hop_length": 256, "n_mels": 80}
    return {
        "audio.melspectrogram_64x1e6_80": audio("MelSpectrogram", **frames),
        "audio.mfcc_64x1e6_40": audio("MFCC", n_mfcc=40, melkwargs=frames),
        "radar.pulse_compression_128x9000_c128":
            (of((128, size(9000)), (size(1000),), dtype=torch.complex128), compression),
        "radar.pulse_compression_256x65536_c64": (of((size(256), size(65536)), (size(4096),)), compression),
        "radar.pulse_doppler_512x65536_c64": (of((size(512), size(65536))), lambda x: fft.fft(x, dim=0)),
        "radar.pulse_doppler_window_512x65536_c64":
            (lambda: (*of((size(512), size(65536)))(), make(size(512))), lambda x, w: fft.fft(x * w[:, None], dim=0)),
        "radar.ambgfun_2048_c64": (of((size(2048),)), ambgfun),
        "radar.mvdr_64x1e5_c64": (of((64, size(100_000)), (64,)), lambda x, v: weights(torch.cov(x), v)),
        "radar.mvdr_weights_512x64x64_c64": (prepared, weights),
        "est.kalman_1e5x4_100steps": (lambda: tracks(torch, make), lambda *a: run_tracks(torch.linalg.inv, *a)),
    }
