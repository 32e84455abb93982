/*
 * sample_type.c: SigMF's names of datatypes, and 12 bits, which it does not have.
 */
#include "samples/samples.h"
#include <string.h>

static const struct {
    const char *name;
    uint8_t kind;
    bool is_unsigned, is_float;
    uint8_t bits;
} kinds[] = {
    {"i8", GNDI_SAMPLE_I8, false, false, 8},    {"u8", GNDI_SAMPLE_U8, true, false, 8},
    {"i12", GNDI_SAMPLE_I12, false, false, 12}, {"i16", GNDI_SAMPLE_I16, false, false, 16},
    {"u16", GNDI_SAMPLE_U16, true, false, 16},  {"i32", GNDI_SAMPLE_I32, false, false, 32},
    {"u32", GNDI_SAMPLE_U32, true, false, 32},  {"f32", GNDI_SAMPLE_F32, false, true, 32},
    {"f64", GNDI_SAMPLE_F64, false, true, 64},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int find_kind(const char *name, size_t length) {
    for (int k = 0; k < KINDS; k++)
        if (strlen(kinds[k].name) == length && memcmp(kinds[k].name, name, length) == 0) return k;
    return -1;
}

static bool is_big_endian(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 0;
}

bool gndi_sample_type_read(const char *fn, const char *datatype, const gnd_samples_options *options,
                           gndi_sample_type *type) {
    static const gnd_samples_options none;
    const gnd_samples_options *o = options ? options : &none;
    if (!datatype) return gndi_raise_null(fn, "datatype"), false;
    const char *mark = strchr(datatype, '_');
    const size_t length = mark ? (size_t)(mark - datatype) : strlen(datatype);
    const bool known_order = !mark || strcmp(mark, "_le") == 0 || strcmp(mark, "_be") == 0;
    const int k = length > 1 && (*datatype == 'c' || *datatype == 'r') ? find_kind(datatype + 1, length - 1) : -1;
    if (k < 0 || !known_order || (!mark && kinds[k].bits > 8)) {
        gndi_raise(
            GND_ERROR_VALUE, fn,
            "there is no datatype \"%.40s\"; one is c or r, then f32, f64, i8, u8, i12, i16, u16, i32 or u32, and "
            "_le or _be, which only 8 bits may lack",
            datatype);
        return false;
    }
    const bool big = mark && mark[1] == 'b', complex = *datatype == 'c';
    if (o->channels < 0)
        return gndi_raise(GND_ERROR_INVALID, fn, "channels is %d; it is at least 0", o->channels), false;
    if (o->dtype != GND_DTYPE_NONE && !gndi_dtype_valid((int)o->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)o->dtype), false;
    *type = (gndi_sample_type){.complex = complex, .kind = kinds[k].kind, .scale = 1, .channels = o->channels};
    type->swapped = kinds[k].kind == GNDI_SAMPLE_I12 ? big : big != is_big_endian();
    if (o->normalized && !kinds[k].is_float) {
        type->scale = 1.0 / (double)(UINT64_C(1) << (kinds[k].bits - 1));
        if (kinds[k].is_unsigned) type->kind--, type->flipped = true;
    }
    type->dtype = o->dtype != GND_DTYPE_NONE ? o->dtype : gndi_sample_unpacked_dtype(type);
    if (complex && !gndi_dtype_is_complex(type->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "complex samples, %s, do not become %s", datatype, gnd_dtype_name(type->dtype));
        return false;
    }
    return true;
}

static int64_t number_bits(const gndi_sample_type *type) {
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].kind == type->kind) return kinds[k].bits;
    return 0;
}

int64_t gndi_sample_bits(const gndi_sample_type *type) {
    return number_bits(type) * (1 + type->complex) * (type->channels > 1 ? type->channels : 1);
}

bool gndi_sample_is_wide(const gndi_sample_type *type) {
    return type->kind == GNDI_SAMPLE_I32 || type->kind == GNDI_SAMPLE_U32 || type->kind == GNDI_SAMPLE_F64;
}

gnd_dtype gndi_sample_unpacked_dtype(const gndi_sample_type *type) {
    if (type->complex) return gndi_sample_is_wide(type) ? GND_COMPLEX128 : GND_COMPLEX64;
    return gndi_sample_is_wide(type) ? GND_FLOAT64 : GND_FLOAT32;
}

int64_t gndi_sample_bytes(const char *fn, const gndi_sample_type *type, int64_t samples) {
    const int64_t bits = gndi_sample_bits(type);
    int64_t all;
    if (!__builtin_mul_overflow(bits, samples, &all) && all % 8 == 0) return all / 8;
    gndi_raise(GND_ERROR_VALUE, fn, "%lld samples of %lld bits are no whole number of bytes", (long long)samples,
               (long long)bits);
    return -1;
}
