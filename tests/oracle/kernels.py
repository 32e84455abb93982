"""What the tests of users' kernels share: NVRTC's opinion of every text that is compiled for the CPU."""

import contextlib

import numpy as np

import gnd


@contextlib.contextmanager
def compiled_for_gpus():
    """Inside, what is compiled for the CPU is compiled for sm_90, too, if there is NVRTC."""
    if gnd.device_count(1):  # kernels run on it
        yield
        return
    gnd.lib.gndi_test_kernel_nvrtc(90)
    probe = gnd.kernel_elementwise("T x", "T y", "y = x", "probe", None)
    try:
        gnd.kernel_call(probe, 1, [gnd.from_numpy(np.zeros(2))])
    except gnd.Error as error:
        if error.code != gnd.ERROR_UNAVAILABLE:
            raise
        gnd.lib.gndi_test_kernel_nvrtc(0)
    finally:
        gnd.kernel_release(probe)
    yield
    gnd.lib.gndi_test_kernel_nvrtc(0)
