"""More than 2^31 elements: sizes, offsets and counts in 64 bits everywhere. Only where there is a GPU
with the memory for it."""

import numpy as np
import pytest

import gnd

N = 3_000_000_000

pytestmark = pytest.mark.gpu_only


@pytest.fixture(scope="module")
def large():
    """0, 1, 2, ... modulo 100, as int8, in 3e9 elements; made of rows by broadcasting."""
    period = gnd.from_numpy(np.arange(100, dtype=np.int8))
    array = gnd.reshape(gnd.ascontiguous(gnd.broadcast_to(period, (N // 100, 100))), (N,))
    assert array.size == N
    yield array
    array.release()
    period.release()
    gnd.memory_trim(gnd.current_device())


SAMPLES = [0, 1, 99, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2**20, N - 1, N // 2, N - 12345]
SAMPLES = [s for s in SAMPLES if s < N]


def at(array, index):
    return gnd.item_int(gnd.slice(array, str(index)))


def test_add(large):
    result = gnd.add(large, large)
    for index in SAMPLES:
        want = int(np.int8((index % 100) * 2 - (256 if (index % 100) * 2 > 127 else 0)))
        assert at(result, index) == want, index


def test_copy(large):
    result = gnd.copy(large)
    assert not gnd.shares_buffer(large, result)
    for index in SAMPLES:
        assert at(result, index) == index % 100
    assert gnd.item_bool(gnd.all(gnd.equal(result, large), None))


def test_slices(large):
    backwards = gnd.ascontiguous(gnd.slice(large, "::-1"))
    for index in SAMPLES:
        assert at(backwards, index) == (N - 1 - index) % 100
    backwards.release()
    odd = gnd.add(gnd.slice(large, "1::2"), 1)
    for index in [s // 2 for s in SAMPLES]:
        assert at(odd, index) == (2 * index + 1) % 100 + 1
    tail = gnd.slice(large, "2147483640:2147483660")
    assert np.array_equal(tail.numpy(), (np.arange(2147483640, 2147483660) % 100).astype(np.int8))


def test_sums(large):
    assert gnd.item_int(gnd.sum(large, None)) == N // 100 * 4950
    rows = gnd.reshape(large, (N // 1000, 1000))
    assert np.array_equal(gnd.sum(rows, 0).numpy(), (np.arange(1000) % 100) * (N // 1000))
    columns = gnd.sum(rows, 1).numpy()
    assert (columns == 49500).all()
    assert gnd.item_int(gnd.max(large, None)) == 99
    assert gnd.item_double(gnd.mean(large, None)) == 49.5
    assert gnd.item_int(gnd.count_nonzero(large, None)) == N // 100 * 99


def test_transposed(large):
    rows = gnd.reshape(large, (30000, 100000))
    turned = gnd.ascontiguous(gnd.transpose(rows))
    flat = gnd.reshape(turned, (N,))
    for index in SAMPLES:
        column, row = divmod(index, 30000)
        assert at(flat, index) == (row * 100000 + column) % 100


def test_fill_and_broadcast(large):
    out = gnd.empty((N,), "int8")
    gnd.fill(out, 7)
    assert all(at(out, index) == 7 for index in SAMPLES)
    gnd.copyto(gnd.slice(out, "2147483647:"), 3)
    assert at(out, 2147483646) == 7 and at(out, 2147483647) == 3 and at(out, N - 1) == 3
    assert gnd.item_int(gnd.sum(out, None)) == 2147483647 * 7 + (N - 2147483647) * 3


def test_kernels_of_the_users_own(large):
    kernel = gnd.kernel_elementwise("int8 x, raw int8 t", "int8 y", "y = x + (i == t.size() - 1 ? 7 : t[i])",
                                    "large", None)
    result = gnd.kernel_call(kernel, 2, [large, large])
    for index in SAMPLES:
        want = index % 100 + (7 if index == N - 1 else index % 100)
        assert at(result, index) == int(np.array(want).astype(np.int8)), index
    result.release()
    gnd.kernel_release(kernel)
    total = gnd.kernel_reduction("int8 x", "int64 s", "x", "a + b", None, "0", "total", None)
    assert gnd.item_int(gnd.kernel_call(total, 1, [large])) == N // 100 * 4950
    halves = gnd.kernel_reduce(total, 1, [gnd.reshape(large, (2, N // 2))], 1)
    assert halves.numpy().tolist() == [N // 200 * 4950] * 2
    gnd.kernel_release(total)
