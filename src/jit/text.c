/*
 * text.c: growing text, and a hash.
 */
#include "jit/text.h"
#include <stdio.h>

static bool reserve(gndi_text *text, size_t more) {
    const size_t needed = text->length + more + 1;
    if (text->failed) return false;
    if (needed <= text->capacity) return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed) capacity *= 2;
    char *data = gndi_realloc(NULL, text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data, text->capacity = capacity;
    return true;
}

void gndi_text_add_bytes(gndi_text *text, const void *data, size_t bytes) {
    if (!reserve(text, bytes)) return;
    if (bytes) memcpy(text->data + text->length, data, bytes);
    text->length += bytes;
    text->data[text->length] = 0;
}

void gndi_text_add_field(gndi_text *text, const char *field) {
    gndi_text_add_bytes(text, field, strlen(field) + 1);
}

void gndi_text_add(gndi_text *text, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (length >= 0 && reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, fmt, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

bool gndi_text_complete(const gndi_text *text, const char *fn) {
    if (text->failed)
        gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for text of %zu bytes and more", text->length);
    return !text->failed;
}

void gndi_text_free(gndi_text *text) {
    gndi_free(text->data);
    *text = (gndi_text){0};
}

char *gndi_text_copy(const char *fn, const char *text) {
    const size_t bytes = text ? strlen(text) + 1 : 1;
    char *copy = gndi_malloc(fn, bytes);
    if (copy) memcpy(copy, text ? text : "", bytes);
    return copy;
}

/* Eight bytes a step: exclusive or, a product with an odd number, and the high bits folded down. */
uint64_t gndi_hash(const void *data, size_t bytes, uint64_t seed) {
    const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
    const unsigned char *p = data;
    uint64_t h = seed ^ (bytes * factor);
    for (size_t left = bytes; left > 0;) {
        uint64_t word = 0;
        const size_t n = left < 8 ? left : 8;
        for (size_t i = 0; i < n; i++) word |= (uint64_t)p[i] << 8 * i;
        h = (h ^ word) * factor;
        h ^= h >> 29;
        p += n, left -= n;
    }
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    return h ^ h >> 32;
}
