/*
 * bits_cpu.c: bits and bytes on the CPU. Dense elements of a byte each are packed sixteen or eight at a
 * time, and unpacked by a table; others one by one.
 */
#include "rearrange/bits_plan.h"
#include "reduce/cpu/operator_fold.h"
#include "runtime/hooks.h"
#if defined(__SSE2__)
#    include <emmintrin.h>
#endif

enum { GRAIN = 1 << 14 };

static bool truth(const char *element, int itemsize) {
    switch (itemsize) {
    case 1: return *(const uint8_t *)element != 0;
    case 2: return *(const uint16_t *)(const void *)element != 0;
    case 4: return *(const uint32_t *)(const void *)element != 0;
    default: return *(const uint64_t *)(const void *)element != 0;
    }
}

static uint8_t reversed(uint8_t byte) {
    byte = (uint8_t)(byte >> 4 | byte << 4);
    byte = (uint8_t)((byte & 0xcc) >> 2 | (byte & 0x33) << 2);
    return (uint8_t)((byte & 0xaa) >> 1 | (byte & 0x55) << 1);
}

/* Eight bytes as bits, the first one the highest. */
static uint8_t pack_word(uint64_t word) {
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    const uint64_t nonzero = (((word & low) + low) | word) >> 7 & UINT64_C(0x0101010101010101);
    /* Byte i is moved to bit 63 - i; nothing else meets those bits. */
    return (uint8_t)(nonzero * UINT64_C(0x8040201008040201) >> 56);
}

/* And back. */
static uint64_t unpack_word(uint8_t byte) {
    const uint64_t each = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x0102040810204080);
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return (((each & low) + low) | each) >> 7 & UINT64_C(0x0101010101010101);
}

static void pack_byte(const gndi_bits_plan *p, const char *from, char *to, int64_t b) {
    const char *element = from + 8 * b * p->element.step;
    const int64_t left = p->elements - 8 * b, n = left < 8 ? left : 8;
    uint8_t byte = 0;
    for (int64_t i = 0; i < n; i++) byte |= (uint8_t)(truth(element + i * p->element.step, p->itemsize) << (7 - i));
    to[b * p->byte.step] = (char)(p->little ? reversed(byte) : byte);
}

static void unpack_byte(const gndi_bits_plan *p, const char *from, char *to, int64_t b) {
    const int64_t left = p->elements - 8 * b, n = left < 8 ? left : 8;
    uint8_t byte = b < p->bytes ? (uint8_t)from[b * p->byte.step] : 0;
    if (p->little) byte = reversed(byte);
    char *element = to + 8 * b * p->element.step;
    for (int64_t i = 0; i < n; i++) element[i * p->element.step] = (char)(byte >> (7 - i) & 1);
}

/* What each byte becomes: its bits as eight bytes, or reversed. */
typedef struct tables {
    const gndi_bits_plan *plan;
    uint64_t word[256];
    uint8_t byte[256];
} tables;

/* Bytes from `b` up to `end` of a line whose elements are dense bytes, as far as they are whole. */
static int64_t dense_bytes(const tables *t, char *element, char *byte, int64_t b, int64_t end) {
    const gndi_bits_plan *p = t->plan;
    const int64_t step = p->byte.step, whole = p->elements / 8;
    if (p->itemsize != 1 || p->element.step != 1) return b;
    if (end > whole) end = whole;
    if (p->unpack && end > p->bytes) end = p->bytes;
    for (; p->unpack && b < end; b++) memcpy(element + 8 * b, &t->word[(uint8_t)byte[b * step]], sizeof *t->word);
    if (p->unpack) return b;
#if defined(__SSE2__)
    for (; b + 2 <= end; b += 2) {
        const __m128i zero = _mm_setzero_si128();
        const __m128i elements = _mm_loadu_si128((const __m128i *)(const void *)(element + 8 * b));
        const int bits = ~_mm_movemask_epi8(_mm_cmpeq_epi8(elements, zero));
        byte[b * step] = (char)t->byte[bits & 255];
        byte[(b + 1) * step] = (char)t->byte[bits >> 8 & 255];
    }
#endif
    for (; b < end; b++) {
        uint64_t word;
        memcpy(&word, element + 8 * b, sizeof word);
        byte[b * step] = (char)t->byte[reversed(pack_word(word))];
    }
    return b;
}

/* Bytes of all lines, counted through. */
static void run(void *context, int64_t begin, int64_t end) {
    const tables *t = context;
    const gndi_bits_plan *p = t->plan;
    const int64_t each = p->unpack ? (p->elements + 7) / 8 : p->bytes;
    for (int64_t k = begin; k < end;) {
        const int64_t line = k / each, last = (line + 1) * each < end ? (line + 1) * each : end;
        char *element = p->element.data + gndi_fold_offset(line, p->ndim, p->shape, p->element.stride);
        char *byte = p->byte.data + gndi_fold_offset(line, p->ndim, p->shape, p->byte.stride);
        int64_t b = dense_bytes(t, element, byte, k - line * each, last - line * each);
        for (; b < last - line * each; b++) {
            if (p->unpack)
                unpack_byte(p, byte, element, b);
            else
                pack_byte(p, element, byte, b);
        }
        k = last;
    }
}

gnd_status gndi_cpu_bits(gnd_stream *s, const gndi_bits_plan *plan, const char *fn) {
    const int64_t each = plan->unpack ? (plan->elements + 7) / 8 : plan->bytes;
    tables t = {.plan = plan};
    (void)s, (void)fn;
    for (int k = 0; k < 256; k++) {
        const uint8_t reflected = reversed((uint8_t)k);
        t.word[k] = unpack_word(plan->little ? reflected : (uint8_t)k);
        t.byte[k] = plan->little ? (uint8_t)k : reflected; /* of bits from the lowest up */
    }
    gndi_parallel_for(plan->lines * each, GRAIN, run, &t);
    return GND_OK;
}
