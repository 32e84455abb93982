/*
 * sequences.c: unit impulses and maximum length sequences (scipy.signal.unit_impulse, max_len_seq).
 */
#include "array/view.h"
#include "elementwise/create.h"
#include "polynomial/numbers.h"
#include <gnd/create.h>
#include <gnd/transfer.h>
#include <gnd/waveforms.h>

/* ---- unit impulses -------------------------------------------------------------------------- */

/* The offset in bytes of the element at an index; false: there is none. */
static bool offset_of(const char *fn, const gnd_array *a, int count, const int64_t *index, int64_t *offset) {
    *offset = 0;
    for (int k = 0; k < a->ndim; k++) {
        const int64_t n = a->shape[k], given = count == 0 ? 0 : count < 0 ? n / 2 : index[count == 1 ? 0 : k];
        const int64_t at = given < 0 ? given + n : given;
        if (at < 0 || at >= n) {
            gndi_raise(GND_ERROR_INDEX, fn, "index %lld is out of bounds for axis %d of size %lld", (long long)given, k,
                       (long long)n);
            return false;
        }
        *offset += at * a->strides[k];
    }
    return true;
}

gnd_array *gnd_unit_impulse(gnd_shape shape, int count, const int64_t *index, gnd_dtype dtype) {
    static const char fn[] = "gnd_unit_impulse";
    int64_t offset = 0;
    GNDI_PARTS_OF(fn);
    if (count < -1 || (count > 1 && count != shape.ndim))
        return gndi_fail(GND_ERROR_INVALID, fn, "%d indices are given for %d axes", count, shape.ndim);
    if (count > 0 && !index) return gndi_raise_null(fn, "index"), NULL;
    gnd_array *made = gnd_zeros(shape, dtype), *one = NULL;
    if (!made) return NULL;
    if (offset_of(fn, made, count, index, &offset))
        one = gndi_array_view(fn, made, 0, NULL, NULL, gndi_data(made) + offset, (gnd_dtype)made->dtype);
    if (one) one = gndi_filled(fn, one, gnd_arg_int(1));
    if (!one) {
        gnd_release(made);
        return NULL;
    }
    gnd_release(one);
    return made;
}

/* ---- maximum length sequences --------------------------------------------------------------- */

/* The taps of scipy.signal.max_len_seq; 0 ends them. */
static const int8_t TAPS[][4] = {
    {1},          {2},          {3},         {3},         {5},         {6},  {7, 6, 1},    {5},
    {7},          {9},          {11, 10, 4}, {12, 11, 8}, {13, 12, 2}, {14}, {15, 13, 4},  {14},
    {11},         {18, 17, 14}, {17},        {19},        {21},        {18}, {23, 22, 17}, {22},
    {25, 24, 20}, {26, 25, 22}, {25},        {27},        {29, 28, 7}, {28}, {31, 30, 10}};

/* Which of s[i], ..., s[i + nbits - 1] give s[i + nbits]: offset 0 and those of the taps, each once. */
static bool read_taps(gndi_scratch *s, int64_t nbits, int count, const int64_t *taps, int64_t *offsets, int *number) {
    const int least = 2, most = 32;
    bool first = true; /* whether s[i] counts */
    *number = 0;
    if (!taps) {
        if (nbits < least || nbits > most)
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "nbits must be between %d and %d without taps, not %lld",
                                     least, most, (long long)nbits);
        for (int k = 0; k < 4 && TAPS[nbits - least][k]; k++) offsets[(*number)++] = TAPS[nbits - least][k];
    }
    for (int k = 0; taps && k < count; k++) {
        bool again = false;
        if (taps[k] < 0 || taps[k] > nbits)
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "taps must be between 0 and %lld, unlike %lld",
                                     (long long)nbits, (long long)taps[k]);
        for (int j = 0; j < k; j++) again |= taps[j] == taps[k];
        if (again) continue;
        if (taps[k] % nbits == 0)
            first = !first;
        else
            offsets[(*number)++] = taps[k];
    }
    if (first) offsets[(*number)++] = 0;
    return true;
}

/* The elements from nbits on, up to n. A recurrence over GF(2) holds also with all its offsets doubled, as often as
   one likes: with offsets as large as the elements before allow, long stretches do not depend on each other. */
static void fill(int8_t *s, int64_t n, int64_t nbits, int number, const int64_t *offsets) {
    int64_t nearest = nbits;
    for (int k = 0; k < number; k++) nearest = gndi_min(nearest, nbits - offsets[k]);
    for (int64_t done = nbits, scale = 1; done < n;) {
        while (2 * scale * nbits <= done) scale *= 2;
        const int64_t end = gndi_min(n, done + nearest * scale);
        memset(s + done, 0, (size_t)(end - done));
        for (int k = 0; k < number; k++) {
            const int8_t *from = s - (nbits - offsets[k]) * scale;
            for (int64_t i = done; i < end; i++) s[i] ^= from[i];
        }
        done = end;
    }
}

/* The state: nbits numbers, of which 0 is 0 and others are 1. */
static bool read_state(gndi_scratch *s, int64_t nbits, const int8_t *state, int8_t *sequence) {
    bool any = false;
    for (int64_t k = 0; k < nbits; k++) any |= (sequence[k] = !state || state[k] != 0) != 0;
    return any || gndi_scratch_fail(s, GND_ERROR_VALUE, "the state must not be all zeros");
}

static gnd_array *bytes(gndi_scratch *s, int64_t n, const int8_t *values) {
    GNDI_PARTS_OF(s->fn);
    gnd_array *made = gnd_from_host(values, (gnd_shape){.ndim = 1, .dim = {n}}, GND_INT8);
    s->failed |= !made;
    return made;
}

gnd_array *gnd_max_len_seq(int64_t nbits, const int8_t *state, int64_t length, int count, const int64_t *taps,
                           gnd_array **final_state) {
    gndi_scratch s = {.fn = "gnd_max_len_seq"};
    gnd_array *made = NULL;
    int number = 0;
    if (final_state) *final_state = NULL;
    if (length == -1 && nbits >= 1 && nbits < 62) length = (INT64_C(1) << nbits) - 1;
    if (nbits < 1 || nbits > INT64_C(1) << 40)
        gndi_scratch_fail(&s, GND_ERROR_VALUE, "nbits must be at least 1, not %lld", (long long)nbits);
    else if (length < 0 || length > INT64_C(1) << 60)
        gndi_scratch_fail(&s, GND_ERROR_VALUE,
                          "length must be -1, the whole period, if that is below 2^62, or at least 0, not %lld",
                          (long long)length);
    else if (taps && count < 1)
        gndi_scratch_fail(&s, GND_ERROR_VALUE, "there are %d taps; there must be at least one", count);
    int64_t *offsets = s.failed ? NULL : gndi_scratch_get(&s, gndi_max(count, 4) + 1, sizeof(int64_t));
    if (offsets && read_taps(&s, nbits, count, taps, offsets, &number)) {
        int8_t *sequence = gndi_scratch_get(&s, length + nbits, 1);
        if (sequence && read_state(&s, nbits, state, sequence)) {
            fill(sequence, length + nbits, nbits, number, offsets);
            made = bytes(&s, length, sequence);
            if (made && final_state) *final_state = bytes(&s, nbits, sequence + length);
        }
    }
    if (s.failed && made) {
        gnd_release(made);
        made = NULL;
    }
    gndi_scratch_end(&s);
    return made;
}
