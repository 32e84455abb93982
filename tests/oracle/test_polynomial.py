"""Polynomials against NumPy: coefficients from roots."""

import numpy as np
from scipy import signal

from designs import doubles, filter_of, near, options_of


def test_coefficients_from_roots():
    for order in (1, 4, 9):
        z, p, k = signal.butter(order, 0.3, output="zpk")
        got = filter_of("gnd_butter", order, *doubles(0.3), options_of())
        near(got["b"], k * np.poly(z), 1e-10)
        near(got["a"], np.poly(p), 1e-10)
