"""Designs of FIR and recursive filters against SciPy: every window, option, family, band and form, and what is
refused."""

import numpy as np
import pytest
from scipy import signal

import gnd
from designs import OUTPUTS, doubles, filter_of, near, options_of, refusal, same_sets, struct, window

WINDOWS = ["boxcar", "triang", "bartlett", "hann", "hamming", "blackman", "blackmanharris", "nuttall", "flattop",
           "parzen", "bohman", "barthann", "cosine", "lanczos", "exponential", "tukey", "taylor", "hann_periodic",
           ("kaiser", 0.0), ("kaiser", 8.6), ("kaiser", 60.0), ("gaussian", 7.0), ("general_gaussian", 1.5, 7.0),
           ("general_cosine", [0.4, 0.5, 0.1]), ("general_hamming", 0.7), ("chebwin", 100.0), ("chebwin", 50.0),
           ("tukey", 0.1), ("tukey", 1.0), ("tukey", 0.0), ("taylor", 6, 40.0), ("taylor", 5, 35.0, 0),
           ("exponential", None, 3.0)]


# ---- FIR ----------------------------------------------------------------------------------------------


def firwin(n, cutoff, **options):
    fields = {}
    if "window" in options:
        fields["window"] = window(options["window"])
    if options.get("width") is not None:
        fields["width"] = options["width"]
    if "fs" in options:
        fields["fs"] = options["fs"]
    if not options.get("scale", True):
        fields["unscaled"] = True
    names = {True: gnd.PASS_ZERO, False: gnd.STOP_ZERO, "lowpass": gnd.PASS_LOWPASS, "highpass": gnd.PASS_HIGHPASS,
             "bandpass": gnd.PASS_BANDPASS, "bandstop": gnd.PASS_BANDSTOP}
    fields["pass_zero"] = names[options.get("pass_zero", True)]
    return gnd.firwin(n, *doubles(cutoff), struct("gnd_firwin_options", **fields))


@pytest.mark.parametrize("given", WINDOWS, ids=str)
def test_windows(given):
    for n in (1, 2, 3, 4, 5, 16, 33, 64, 101):
        scipys = given
        if isinstance(given, tuple) and given[0] == "exponential" and given[1] is None:
            mine = ("exponential", np.nan, given[2])
        else:
            mine = given
        want = signal.firwin(n, 0.37, window="boxcar", scale=False) * signal.get_window(scipys, n, fftbins=False)
        near(firwin(n, 0.37, window=mine, scale=False), want, 1e-12)


def test_firwin():
    for options in [{}, {"scale": False}, {"width": 0.1}, {"fs": 48.0, "width": 2.0}, {"window": 5.0}]:
        half = options.get("fs", 2) / 2
        for cutoff, bands in [([0.3], [True, False, "lowpass", "highpass"]),
                              ([0.2, 0.5], [True, False, "bandpass", "bandstop"]),
                              ([0.1, 0.2, 0.6], [True, False, "bandpass", "bandstop"])]:
            for band in bands:
                for n in (1, 2, 7, 40, 101):
                    edges = np.asarray(cutoff) * half
                    try:
                        want = signal.firwin(n, edges, pass_zero=band, **options)
                    except ValueError:
                        with refusal(gnd.ERROR_VALUE):
                            firwin(n, edges, pass_zero=band, **options)
                        continue
                    near(firwin(n, edges, pass_zero=band, **options), want, 1e-12)
    got = firwin(1001, [0.1], fs=2.0)
    assert got.dtype == "float64" and got.shape == (1001,)


@pytest.mark.parametrize("n", [65535, 65536, 65537])
def test_firwin_of_many_taps(n):
    """From 65536 taps on, operators on arrays compute them."""
    for edges, options in [([0.1, 0.2], {"pass_zero": False}), ([0.3], {}), ([0.5], {"width": 0.01}),
                           ([0.25], {"window": ("kaiser", 8.6)}),
                           ([0.2, 0.9], {"scale": False, "fs": 4.0, "pass_zero": False}),
                           ([0.1, 0.2, 0.7, 0.8], {"pass_zero": "bandpass", "window": ("chebwin", 100.0)})]:
        near(firwin(n, edges, **options), signal.firwin(n, edges, **options), 1e-11)
    for edges, options in [([0.1], {"window": "nowindow"}), ([0.2, 0.1], {}), ([0.1, 0.2], {"fs": -1.0})]:
        with refusal(gnd.ERROR_VALUE):
            firwin(n, edges, **options)
    if n % 2 == 0:
        with refusal(gnd.ERROR_VALUE):
            firwin(n, [0.1], pass_zero="highpass")
    else:
        near(firwin(n, [0.1], pass_zero="highpass"), signal.firwin(n, [0.1], pass_zero="highpass"), 1e-11)


def test_firwin_refuses():
    for n, cutoff, options in [(0, 0.5, {}), (-3, 0.5, {}), (5, [], {}), (5, 0.0, {}), (5, 1.0, {}),
                               (5, [0.4, 0.3], {}), (5, 0.5, {"fs": -1.0}), (5, np.nan, {}),
                               (5, 0.5, {"window": "none"}),
                               (5, 0.5, {"window": "kaiser"}), (5, 0.5, {"window": ("hann", 3)})]:
        with refusal(gnd.ERROR_VALUE):
            firwin(n, cutoff, **options)


def test_firwin2():
    for n in (1, 2, 15, 16, 150, 151):
        for freq, gain in [([0, 0.5, 1], [1, 1, 0]), ([0, 0.3, 0.3, 0.7, 1], [0, 0, 1, 0.5, 0]),
                           ([0, 0.2, 1], [0, 1, 2]), ([0, 1], [1, 0])]:
            for options in [{}, {"window": "boxcar"}, {"nfreqs": 200}, {"antisymmetric": True}, {"fs": 10.0},
                            {"window": ("kaiser", 3.0), "nfreqs": 257}]:
                fields = {key: value for key, value in options.items() if key != "window"}
                if "window" in options:
                    fields["window"] = window(options["window"])
                edges = np.asarray(freq) * options.get("fs", 2.0) / 2
                mine = lambda: gnd.firwin2(n, *doubles(edges), doubles(gain)[1],  # noqa: E731
                                           struct("gnd_firwin2_options", **fields))
                try:
                    want = signal.firwin2(n, edges, gain, **options)
                except ValueError:
                    with refusal(gnd.ERROR_VALUE):
                        mine()
                    continue
                near(mine(), want, 1e-11)


def test_firwin_2d():
    for rows, columns in [(5, 5), (8, 4), (3, 9)]:
        options = struct("gnd_firwin_2d_options", window=window("hann"), window2=window(("kaiser", 4.0)))
        want = signal.firwin_2d((rows, columns), ("hann", ("kaiser", 4.0)), fc=0.4)
        near(gnd.firwin_2d(rows, columns, *doubles(0.4), options), want, 1e-12)
        options = struct("gnd_firwin_2d_options", window=window("hamming"), circular=True, fs=4.0)
        want = signal.firwin_2d((rows, columns), "hamming", fc=0.4, fs=4.0, circular=True)
        near(gnd.firwin_2d(rows, columns, *doubles(0.4), options), want, 1e-12)


def test_kaiser():
    import ctypes
    for a in (0.0, 10.0, 21.0, 30.0, 50.0, 51.0, 120.0):
        assert np.isclose(gnd.kaiser_beta(a), signal.kaiser_beta(a), rtol=1e-14)
        if a >= 8:
            n, beta = ctypes.c_int64(), ctypes.c_double()
            gnd.kaiserord(ctypes.addressof(n), ctypes.addressof(beta), a, 0.1)
            assert (n.value, beta.value) == signal.kaiserord(a, 0.1)
    assert np.isclose(gnd.kaiser_atten(47, 0.2), signal.kaiser_atten(47, 0.2), rtol=1e-14)
    with refusal(gnd.ERROR_VALUE):
        gnd.kaiserord(ctypes.addressof(n), ctypes.addressof(beta), 3.0, 0.1)


# ---- recursive filters --------------------------------------------------------------------------------

FAMILIES = {"gnd_butter": (), "gnd_cheby1": (1.0,), "gnd_cheby2": (40.0,), "gnd_ellip": (0.5, 60.0), "gnd_bessel": ()}
EDGES = {"lowpass": 0.3, "highpass": 0.4, "bandpass": [0.2, 0.5], "bandstop": [0.25, 0.4]}


def scipys(name):
    return getattr(signal, name.removeprefix("gnd_"))


def design(family, order, edges, **given):
    extra = (given.pop("norm"),) if family == "gnd_bessel" else ()
    norms = {"phase": gnd.BESSEL_PHASE, "delay": gnd.BESSEL_DELAY, "mag": gnd.BESSEL_MAGNITUDE}
    return filter_of(family, order, *FAMILIES[family], *doubles(edges), *[norms[n] for n in extra], options_of(**given))


def compare(got, want, output, order, where):
    """The same filter: coefficients, or roots and gain; sections may come in another order where poles tie."""
    try:
        if output == "ba":
            near(got["b"], want[0], 1e-8)
            near(got["a"], want[1], 1e-8)
            assert got["b"].dtype == got["a"].dtype == np.float64
        elif output == "zpk":
            same_sets(got["z"], want[0], 1e-9)
            same_sets(got["p"], want[1], 1e-9)
            assert np.isclose(got["k"], want[2], rtol=1e-8)
        else:
            sections(got["sos"], want)
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}") from None


def sections(got, want):
    """Equal as they are; where poles tie, the order of sections may differ: the filter is then the same."""
    assert got.shape == want.shape
    if np.allclose(got, want, rtol=1e-7, atol=1e-8 * np.abs(want).max()):
        return
    for x, y in zip(signal.sos2tf(got), signal.sos2tf(want)):
        near(x, y, 1e-7)
    same_sets(np.round(np.sort(np.abs(got[:, 5])), 9), np.round(np.sort(np.abs(want[:, 5])), 9), 1e-6)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_recursive(family, output):
    for band, edges in EDGES.items():
        for order in (1, 2, 3, 4, 5, 7, 8):
            for analog, fs in [(False, None), (True, None), (False, 100.0)]:
                wn = np.asarray(edges) * (fs / 2 if fs else 1)
                for norm in ("phase", "delay", "mag") if family == "gnd_bessel" else (None,):
                    given = {"btype": band, "analog": analog, "output": output, "fs": fs}
                    if norm:
                        given["norm"] = norm
                    try:
                        want = scipys(family)(order, *FAMILIES[family], wn, **given)
                    except IndexError:  # SciPy finds no zero for an analog section's second one
                        continue
                    compare(design(family, order, wn, **given), want, output, order,
                            f"{family} {order} {band} {analog} {fs} {norm}")


def test_high_orders():
    for family, order in [("gnd_butter", 40), ("gnd_cheby1", 30), ("gnd_cheby2", 25), ("gnd_ellip", 15),
                          ("gnd_bessel", 20), ("gnd_butter", 0)]:
        given = {"output": "zpk"} | ({"norm": "phase"} if family == "gnd_bessel" else {})
        want = scipys(family)(order, *FAMILIES[family], 0.3, **given)
        compare(design(family, order, 0.3, **given), want, "zpk", order, family)


def test_prototypes():
    for order in range(0, 26):
        for name, arguments in [("gnd_buttap", ()), ("gnd_cheb1ap", (0.5,)), ("gnd_cheb2ap", (30.0,)),
                                ("gnd_ellipap", (0.2, 50.0)),
                                ("gnd_ellipap", (0.01, 120.0))]:
            z, p, k = scipys(name)(order, *arguments)
            got = filter_of(name, order, *arguments)
            same_sets(got["z"], z, 1e-9)
            same_sets(got["p"], p, 1e-9)
            assert np.isclose(got["k"], k, rtol=1e-8), (name, order)
        for norm, code in [("phase", gnd.BESSEL_PHASE), ("delay", gnd.BESSEL_DELAY), ("mag", gnd.BESSEL_MAGNITUDE)]:
            z, p, k = signal.besselap(order, norm)
            got = filter_of("gnd_besselap", order, code)
            same_sets(got["p"], p, 1e-9)
            assert np.isclose(got["k"], k, rtol=1e-8), (norm, order)


def test_recursive_refuses():
    for family, order, edges, given in [("gnd_butter", -1, 0.5, {}), ("gnd_butter", 1000, 0.5, {}),
                                        ("gnd_butter", 3, 0.0, {}), ("gnd_butter", 3, 1.0, {}),
                                        ("gnd_cheby1", 3, [0.5, 0.2], {"btype": "bandpass"}),
                                        ("gnd_butter", 3, np.nan, {}), ("gnd_ellip", 3, 60.0, {"fs": 100.0})]:
        with refusal(gnd.ERROR_VALUE):
            design(family, order, edges, **given)
    for edges, given in [([0.1, 0.2], {}), (0.1, {"btype": "bandpass"}), (0.2, {"analog": True, "fs": 3.0})]:
        with refusal(gnd.ERROR_INVALID):
            design("gnd_butter", 3, edges, **given)
    with refusal(gnd.ERROR_VALUE):
        filter_of("gnd_cheby1", 3, -1.0, *doubles(0.3), None)


def test_iirfilter():
    for family, code in [("butter", gnd.BUTTERWORTH), ("cheby1", gnd.CHEBYSHEV1), ("cheby2", gnd.CHEBYSHEV2),
                         ("ellip", gnd.ELLIPTIC), ("bessel", gnd.BESSEL)]:
        for output in OUTPUTS:
            want = signal.iirfilter(5, [0.2, 0.4], rp=0.5, rs=45, ftype=family, output=output)
            got = filter_of("gnd_iirfilter", 5, 0.5, 45.0, *doubles([0.2, 0.4]), code,
                            options_of(btype="bandpass", output=output))
            compare(got, want, output, 5, family)


# ---- sections -----------------------------------------------------------------------------------------

PAIRINGS = {"nearest": gnd.PAIR_NEAREST, "keep_odd": gnd.PAIR_KEEP_ODD, "minimal": gnd.PAIR_MINIMAL}


def random_roots(g, pairs, reals, size):
    up = size * g.uniform(0.3, 1, pairs) * np.exp(1j * g.uniform(0.1, 3, pairs))
    return g.permutation(np.concatenate([up, up.conj(), size * g.uniform(-1, 1, reals)]))


def test_zpk2sos():
    g = np.random.default_rng(5)
    for pairs in range(4):
        for reals in range(4):
            for zero_pairs, zero_reals in [(pairs, reals), (0, 0), (1, 0), (0, 1), (1, 2)]:
                z, p = random_roots(g, zero_pairs, zero_reals, 1.0), random_roots(g, pairs, reals, 0.95)
                for pairing, code in PAIRINGS.items():
                    for analog in (False, True):
                        mine = lambda: gnd.zpk2sos(gnd.from_numpy(z), gnd.from_numpy(p), 0.7, code,  # noqa: E731
                                                   analog)
                        try:
                            want = signal.zpk2sos(z, p, 0.7, pairing, analog=analog)
                        except ValueError:
                            with pytest.raises(gnd.Error):
                                mine()
                            continue
                        except (IndexError, AssertionError):  # SciPy's own failures
                            continue
                        near(mine(), want, 1e-12)
    with refusal(gnd.ERROR_VALUE):
        gnd.zpk2sos(gnd.from_numpy(np.array([0.5 + 0.1j])), gnd.from_numpy(np.array([0.5])), 1.0, 0, False)
    with refusal(gnd.ERROR_SHAPE):
        gnd.zpk2sos(gnd.from_numpy(np.ones((2, 2))), gnd.from_numpy(np.array([0.5])), 1.0, 0, False)


def test_two_taps_by_a_window_without_ends():
    """What is left of sinc at its zeros makes a filter, as SciPy's does."""
    near(firwin(2, 0.37, window="lanczos"), signal.firwin(2, 0.37, window="lanczos"), 1e-12)
