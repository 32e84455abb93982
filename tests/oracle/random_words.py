"""The generators of gnd/random.h written again in Python, from the papers: for the tests of what they give."""

import numpy as np

MASK = np.uint64(0xFFFFFFFF)
STATES = 65536


def philox(key, first, count, stream=0, attempt=0):
    """The words of `count` blocks of Philox4x32-10 from block `first` on, (count, 4)."""
    block = np.arange(count, dtype=np.uint64) + np.uint64(first)
    c0, c1 = block & MASK, block >> np.uint64(32)
    c2, c3 = np.full(count, attempt, np.uint64), np.full(count, stream, np.uint64)
    k0, k1 = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        p0, p1 = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = ((p1 >> np.uint64(32)) ^ c1 ^ np.uint64(k0), p1 & MASK,
                          (p0 >> np.uint64(32)) ^ c3 ^ np.uint64(k1), p0 & MASK)
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], axis=1).astype(np.uint32)


def words(key, position, count, stream=0, attempt=0):
    """Words position .. position + count - 1 of the sequence."""
    blocks = philox(key, position // 4, (position % 4 + count + 3) // 4, stream, attempt)
    return blocks.ravel()[position % 4:position % 4 + count]


def number(key, block, attempt, stream=0):
    w = philox(key, block, 1, stream, attempt & 0xFFFFFFFF)[0]
    return int(w[0]) << 32 | int(w[1])


def lemire(key, position, low, high, own, stream=0):
    """One whole number from low to high by the words from `position` on, `own` of each attempt."""
    bits, count, attempt = (32 if own == 1 else 64), high - low + 1, 0
    while True:
        w = [int(x) for x in words(key, position, own, stream, attempt)]
        word = w[0] if own == 1 else w[0] << 32 | w[1]
        if count == 1 << bits:
            return low + word
        product = word * count
        if product % (1 << bits) >= (1 << bits) % count:
            return low + (product >> bits)
        attempt += 1


# ---- xorwow -------------------------------------------------------------------------------------------


def xorwow_step(s):
    t = s[0] ^ s[0] >> 2
    return s[1:] + [(s[4] ^ s[4] << 4 ^ t ^ t << 1) & 0xFFFFFFFF]


def _to_bits(s):
    return np.array([w >> i & 1 for w in s for i in range(32)], dtype=np.uint8)


def _from_bits(b):
    return [int(sum(int(b[32 * w + i]) << i for i in range(32))) for w in range(5)]


def _xorwow_matrix():
    columns = []
    for bit in range(160):
        s = [0] * 5
        s[bit // 32] = 1 << bit % 32
        columns.append(_to_bits(xorwow_step(s)))
    return np.stack(columns, axis=1).astype(np.float32)


def _jump(matrix, steps, vector, times):
    while steps:
        if steps & 1:
            vector = times(matrix, vector)
        matrix = times(matrix, matrix)
        steps >>= 1
    return vector


def xorwow(key, index, stream, count):
    """The first words of a state."""
    numbers = [number(key, i, -2) for i in (0, 2, 4)]
    s = [w for n in numbers for w in (n >> 32, n & 0xFFFFFFFF)]
    s[0] |= 1
    d = s.pop()
    steps = (stream * STATES + index) << 67
    s = _from_bits(_jump(_xorwow_matrix(), steps, _to_bits(s).astype(np.float32),
                         lambda a, b: (a @ b) % 2))
    found = []
    for _ in range(count):
        s, d = xorwow_step(s), (d + 362437) & 0xFFFFFFFF
        found.append((s[4] + d) & 0xFFFFFFFF)
    return found


# ---- MRG32k3a -----------------------------------------------------------------------------------------

MODULUS = (4294967087, 4294944443)
MRG = ([[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]], [[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]])


def mrg32k3a(key, index, stream, count):
    numbers = [number(key, i, -2) for i in (0, 2, 4)]
    s = [w for n in numbers for w in (n >> 32, n & 0xFFFFFFFF)]
    parts = []
    for part in (0, 1):
        mod = MODULUS[part]
        v = np.array([w % (mod - 1) + 1 for w in s[3 * part:3 * part + 3]], dtype=object)
        a = np.array(MRG[part], dtype=object)
        parts.append(list(_jump(a, (stream * STATES + index) << 76, v, lambda x, y: x.dot(y) % mod)))
    found = []
    for _ in range(count):
        for part in (0, 1):
            p, a = parts[part], MRG[part][2]
            parts[part] = p[1:] + [(a[0] * p[0] + a[1] * p[1] + a[2] * p[2]) % MODULUS[part]]
        found.append((parts[0][2] - parts[1][2]) % MODULUS[0])
    return found
