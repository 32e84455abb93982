/*
 * tiff.c: TIFF pictures by libtiff, loaded at first use. A file is read from memory and written into memory, since
 * libtiff goes to and fro in it. What libtiff says goes to the handlers of the one file. Strips and tiles are
 * decoded one by one: pieces of some columns, some rows and all samples, or those of one plane.
 */
#include "io/image.h"
#include "libraries/library_tables.h"

/* Tags of a TIFF, and their values. */
enum {
    WIDTH = 256,
    HEIGHT = 257,
    BITS = 258,
    COMPRESSION = 259,
    PHOTOMETRIC = 262,
    SAMPLES = 277,
    ROWS_PER_STRIP = 278,
    PLANAR = 284,
    COLORMAP = 320,
    TILE_WIDTH = 322,
    TILE_HEIGHT = 323,
    EXTRA_SAMPLES = 338,
    SAMPLE_FORMAT = 339,
    JPEG_COLORS = 65538
};
enum { WHITE_IS_0, BLACK_IS_0, RGB, PALETTE, MASK, YCBCR = 6 };
enum { UNSIGNED = 1, SIGNED, FLOATING, UNKNOWN, COMPLEX = 6 };
enum { NOT_PACKED = 1, PACKED_BY_JPEG = 7, APART = 2, ALPHA = 2 };
/* No file has more bytes of pixels for each of its own; deflate has 1032. */
enum { MOST_PACKED = 1 << 16, STRIP_BYTES = 1 << 18, MOST_MEMORY = 1 << 30 };

/* What libtiff and its callbacks share: a file in memory, and what went wrong first. */
typedef struct tiff_work {
    const gndi_libtiff *lib;
    const char *fn, *name;
    void *tiff;
    char *bytes;
    uint64_t size, capacity, at;
    bool failed;   /* with an error of gnd's */
    bool decoding; /* warnings are errors then: the pixels are not all there */
    char problem[200];
} tiff_work;

/* ---- the file ------------------------------------------------------------------------------- */

static int on_error(void *tiff, void *context, const char *module, const char *format, va_list values) {
    (void)tiff, (void)module;
    tiff_work *w = context;
    if (!w->problem[0]) vsnprintf(w->problem, sizeof w->problem, format, values);
    return 1;
}

static int on_warning(void *tiff, void *context, const char *module, const char *format, va_list values) {
    tiff_work *w = context;
    return w->decoding ? on_error(tiff, context, module, format, values) : 1;
}

static ptrdiff_t read_bytes(void *context, void *to, ptrdiff_t bytes) {
    tiff_work *w = context;
    const uint64_t left = w->at < w->size ? w->size - w->at : 0;
    if (bytes < 0) return 0;
    if ((uint64_t)bytes > left) bytes = (ptrdiff_t)left;
    if (bytes) memcpy(to, w->bytes + w->at, (size_t)bytes);
    w->at += (uint64_t)bytes;
    return bytes;
}

static ptrdiff_t write_bytes(void *context, void *from, ptrdiff_t bytes) {
    tiff_work *w = context;
    const uint64_t end = w->at + (uint64_t)bytes;
    if (bytes < 0 || end < w->at) return 0;
    if (end > w->capacity) {
        char *larger = gndi_realloc(w->fn, w->bytes, (size_t)(end + end / 8));
        if (!larger) return w->failed = true, 0;
        w->bytes = larger, w->capacity = end + end / 8;
    }
    if (w->at > w->size) memset(w->bytes + w->size, 0, (size_t)(w->at - w->size));
    memcpy(w->bytes + w->at, from, (size_t)bytes);
    w->at = end;
    if (end > w->size) w->size = end;
    return bytes;
}

static ptrdiff_t write_nothing(void *context, void *from, ptrdiff_t bytes) {
    (void)context, (void)from, (void)bytes;
    return 0;
}

static uint64_t seek(void *context, uint64_t offset, int whence) {
    tiff_work *w = context;
    return w->at = offset + (whence == SEEK_CUR ? w->at : whence == SEEK_END ? w->size : 0);
}

static int close_nothing(void *context) {
    (void)context;
    return 0;
}

static uint64_t size_of(void *context) {
    return ((tiff_work *)context)->size;
}

static gnd_status problem(const tiff_work *w) {
    return gndi_raise(GND_ERROR_IO, w->fn, "%s is damaged, or no TIFF that gnd reads: %s", w->name,
                      w->problem[0] ? w->problem : "libtiff does not say why");
}

/* "m": libtiff reads, rather than map what is in memory. */
static void open_tiff(tiff_work *w, const char *mode) {
    const gndi_libtiff *lib = w->lib;
    void *options = lib->TIFFOpenOptionsAlloc();
    if (!options) return;
    lib->TIFFOpenOptionsSetMaxSingleMemAlloc(options, MOST_MEMORY);
    lib->TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, w);
    lib->TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, w);
    w->tiff = lib->TIFFClientOpenExt(w->name, mode, w, read_bytes, mode[0] == 'w' ? write_bytes : write_nothing, seek,
                                     close_nothing, size_of, NULL, NULL, options);
    lib->TIFFOpenOptionsFree(options);
}

/* ---- what a page is ------------------------------------------------------------------------- */

/* A page, and the pieces that it is in. */
typedef struct tiff_page {
    gndi_image *image;
    int bits, photometric;
    bool tiled, planes;      /* planes: each sample has pieces of its own */
    int64_t rows, columns;   /* of a piece */
    int samples;             /* of a pixel in a piece */
    int64_t row_bytes, size; /* of a piece */
    char *piece;
    uint16_t *colors[3]; /* of a palette */
} tiff_page;

static int short_field(const tiff_work *w, uint32_t tag) {
    uint16_t value = 0;
    w->lib->TIFFGetFieldDefaulted(w->tiff, tag, &value);
    return value;
}
static int64_t long_field(const tiff_work *w, uint32_t tag) {
    uint32_t value = 0;
    w->lib->TIFFGetFieldDefaulted(w->tiff, tag, &value);
    return value;
}

/* Samples, and what they are read as and written from. */
static const struct tiff_sample {
    int format, bits;
    gnd_dtype dtype;
} tiff_samples[] = {
    {UNSIGNED, 8, GND_UINT8},       {UNSIGNED, 16, GND_UINT16},  {UNSIGNED, 32, GND_UINT32},
    {UNSIGNED, 64, GND_UINT64},     {SIGNED, 8, GND_INT8},       {SIGNED, 16, GND_INT16},
    {SIGNED, 32, GND_INT32},        {SIGNED, 64, GND_INT64},     {FLOATING, 16, GND_FLOAT16},
    {FLOATING, 32, GND_FLOAT32},    {FLOATING, 64, GND_FLOAT64}, {COMPLEX, 64, GND_COMPLEX64},
    {COMPLEX, 128, GND_COMPLEX128}, {UNSIGNED, 1, GND_UINT8},    {UNSIGNED, 2, GND_UINT8},
    {UNSIGNED, 4, GND_UINT8},
};
enum { TIFF_SAMPLES = sizeof tiff_samples / sizeof *tiff_samples };

static gnd_dtype dtype_of(int format, int bits) {
    if (format == UNKNOWN) format = UNSIGNED;
    for (int i = 0; i < TIFF_SAMPLES; i++)
        if (tiff_samples[i].format == format && tiff_samples[i].bits == bits) return tiff_samples[i].dtype;
    return GND_DTYPE_NONE;
}

/* 0: of a dtype that is not written. */
static int format_of(gnd_dtype dtype) {
    for (int i = 0; i < TIFF_SAMPLES; i++)
        if (tiff_samples[i].dtype == dtype) return tiff_samples[i].format;
    return 0;
}

bool gndi_tiff_takes(gnd_dtype dtype) {
    return format_of(dtype) != 0;
}

static gnd_status describe(tiff_work *w, tiff_page *p) {
    const gndi_libtiff *lib = w->lib;
    const int format = short_field(w, SAMPLE_FORMAT);
    gndi_image *image = p->image;
    p->bits = short_field(w, BITS), p->photometric = short_field(w, PHOTOMETRIC);
    image->width = long_field(w, WIDTH), image->height = long_field(w, HEIGHT);
    image->channels = short_field(w, SAMPLES), image->dtype = dtype_of(format, p->bits);
    if (p->photometric == YCBCR && short_field(w, COMPRESSION) == PACKED_BY_JPEG) {
        lib->TIFFSetField(w->tiff, JPEG_COLORS, 1); /* RGB */
        p->photometric = RGB;
    }
    if (image->width == 0 || image->height == 0 || image->channels == 0 || image->dtype == GND_DTYPE_NONE)
        return gndi_raise(GND_ERROR_IO, w->fn,
                          "%s has %lld x %lld pixels of %d samples of %d bits (format %d), which "
                          "gnd does not read",
                          w->name, (long long)image->width, (long long)image->height, image->channels, p->bits, format);
    if (p->photometric > MASK || (p->photometric == RGB && image->channels < 3) ||
        (p->photometric == PALETTE &&
         (image->channels != 1 || p->bits > 8 ||
          !lib->TIFFGetField(w->tiff, COLORMAP, &p->colors[0], &p->colors[1], &p->colors[2]))))
        return gndi_raise(GND_ERROR_IO, w->fn,
                          "the colours of %s (%d, of %d samples of %d bits) are not read; grey, "
                          "palettes of at most 8 bits, red, green and blue are",
                          w->name, p->photometric, image->channels, p->bits);
    p->planes = short_field(w, PLANAR) == APART && image->channels > 1;
    p->tiled = lib->TIFFIsTiled(w->tiff);
    p->samples = p->planes ? 1 : image->channels;
    p->columns = p->tiled ? long_field(w, TILE_WIDTH) : image->width;
    p->rows = p->tiled ? long_field(w, TILE_HEIGHT) : long_field(w, ROWS_PER_STRIP);
    if (!p->tiled && p->rows > image->height) p->rows = image->height;
    p->row_bytes = (p->columns * p->samples * p->bits + 7) / 8;
    p->size = p->tiled ? lib->TIFFTileSize(w->tiff) : lib->TIFFStripSize(w->tiff);
    if (p->size <= 0 || p->rows <= 0 || p->size != p->row_bytes * p->rows) return problem(w);
    return GND_OK;
}

/* ---- its pixels ----------------------------------------------------------------------------- */

/* Samples of 1, 2 or 4 bits as bytes. */
static void widen(const uint8_t *from, int bits, int64_t count, uint8_t *to, int64_t step) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t bit = i * bits;
        to[i * step] = (uint8_t)(from[bit / 8] >> (8 - bits - bit % 8) & ((1 << bits) - 1));
    }
}

/* One row of a piece into the picture. */
static void place_row(const tiff_page *p, const char *from, int64_t y, int64_t x, int64_t columns, int plane) {
    const gndi_image *image = p->image;
    const int64_t item = gndi_image_bits(image) / 8, step = p->planes ? image->channels : 1;
    char *to = image->pixels + (y * image->width + x) * image->channels * item + plane * item;
    if (p->bits < 8)
        widen((const uint8_t *)from, p->bits, columns * p->samples, (uint8_t *)to, step);
    else if (!p->planes)
        memcpy(to, from, (size_t)(columns * p->samples * item));
    else
        for (int64_t i = 0; i < columns; i++) memcpy(to + i * step * item, from + i * item, (size_t)item);
}

static gnd_status read_piece(tiff_work *w, const tiff_page *p, int64_t y, int64_t x, int plane) {
    const gndi_libtiff *lib = w->lib;
    const int64_t rows = gndi_min(p->rows, p->image->height - y), columns = gndi_min(p->columns, p->image->width - x);
    const int64_t wanted = p->tiled ? p->size : rows * p->row_bytes;
    const int64_t got =
        p->tiled ? lib->TIFFReadEncodedTile(w->tiff,
                                            lib->TIFFComputeTile(w->tiff, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane),
                                            p->piece, p->size)
                 : lib->TIFFReadEncodedStrip(w->tiff, lib->TIFFComputeStrip(w->tiff, (uint32_t)y, (uint16_t)plane),
                                             p->piece, wanted);
    if (got < wanted || w->problem[0]) return problem(w);
    for (int64_t row = 0; row < rows; row++) place_row(p, p->piece + row * p->row_bytes, y + row, x, columns, plane);
    return GND_OK;
}

static gnd_status read_pieces(tiff_work *w, const tiff_page *p) {
    gnd_status status = GND_OK;
    w->decoding = true, w->problem[0] = 0;
    for (int plane = 0; plane < (p->planes ? p->image->channels : 1); plane++)
        for (int64_t y = 0; y < p->image->height; y += p->rows)
            for (int64_t x = 0; x < p->image->width && status == GND_OK; x += p->columns)
                status = read_piece(w, p, y, x, plane);
    return status;
}

/* A palette's numbers become its colours, of 16 bits or, by old writers, of 8. */
static gnd_status look_up(const tiff_work *w, tiff_page *p) {
    gndi_image *image = p->image;
    const int64_t count = image->width * image->height;
    uint8_t *colors = gndi_malloc(w->fn, 3 * (size_t)count);
    if (!colors) return gndi_ew_pending();
    int shift = 0;
    for (int k = 0; k < 3 << p->bits; k++)
        if (p->colors[k >> p->bits][k & ((1 << p->bits) - 1)] > 255) shift = 8;
    for (int64_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) colors[3 * i + c] = (uint8_t)(p->colors[c][(uint8_t)image->pixels[i]] >> shift);
    gndi_free(image->pixels);
    image->pixels = (char *)colors, image->channels = 3;
    return GND_OK;
}

/* Few bits over the range of a byte; 0 as black. */
static void spread(const tiff_page *p) {
    const gndi_image *image = p->image;
    const size_t bytes = gndi_image_row(image) * (size_t)image->height;
    const int top = (1 << (p->bits < 8 ? p->bits : 8)) - 1;
    for (size_t i = 0; i < bytes && p->bits < 8; i++) image->pixels[i] = (char)(image->pixels[i] * 255 / top);
    const bool inverted = p->photometric == WHITE_IS_0 && format_of(image->dtype) == UNSIGNED;
    for (size_t i = 0; i < bytes && inverted; i++) image->pixels[i] = (char)~image->pixels[i];
}

static gnd_status read_page(tiff_work *w, gndi_source *source, int64_t page, gndi_image *image) {
    tiff_page p = {.image = image};
    if (page != 0) {
        const int64_t count = w->lib->TIFFNumberOfDirectories(w->tiff);
        if (page < 0 || page >= count)
            return gndi_raise(GND_ERROR_INDEX, w->fn, "%s has the pages 0 to %lld, not %lld", w->name,
                              (long long)count - 1, (long long)page);
        if (!w->lib->TIFFSetDirectory(w->tiff, (uint32_t)page)) return problem(w);
    }
    gnd_status status = describe(w, &p);
    if (status != GND_OK) return status;
    const int64_t packed = short_field(w, COMPRESSION) == NOT_PACKED ? 1 : MOST_PACKED;
    const int64_t most = (int64_t)w->size * packed * 8 / ((int64_t)p.bits * image->channels);
    if (p.size > MOST_MEMORY && p.size > (int64_t)w->size * packed)
        return gndi_raise(GND_ERROR_IO, w->fn, "%s claims strips or tiles of %lld bytes, more than the file can hold",
                          w->name, (long long)p.size);
    status = gndi_image_allocate(image, source, most);
    if (status == GND_OK && !(p.piece = gndi_malloc(w->fn, (size_t)p.size))) status = gndi_ew_pending();
    if (status == GND_OK) status = read_pieces(w, &p);
    gndi_free(p.piece);
    if (status != GND_OK) return status;
    if (p.photometric == PALETTE) return look_up(w, &p);
    spread(&p);
    return GND_OK;
}

gnd_status gndi_tiff_read(gndi_source *source, char *bytes, size_t size, int64_t page, gndi_image *image) {
    tiff_work w = {
        .lib = gndi_libtiff_get(source->fn), .fn = source->fn, .name = source->name, .bytes = bytes, .size = size};
    if (!w.lib) return gndi_ew_pending();
    open_tiff(&w, "rm");
    if (!w.tiff) return problem(&w);
    const gnd_status status = read_page(&w, source, page, image);
    w.lib->TIFFClose(w.tiff);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Not packed: what is read in other programs at the speed of the disk. */
static bool write_page(tiff_work *w, const gndi_image *image) {
    const gndi_libtiff *lib = w->lib;
    const size_t row = gndi_image_row(image);
    const int64_t rows = gndi_max(1, STRIP_BYTES / (int64_t)row);
    const bool colors = image->channels == 3 || image->channels == 4;
    const int extra = image->channels - (colors ? 3 : 1);
    uint16_t kinds[GNDI_TIFF_MOST] = {extra == 1 ? ALPHA : 0};
    bool good = lib->TIFFSetField(w->tiff, WIDTH, (uint32_t)image->width) &&
                lib->TIFFSetField(w->tiff, HEIGHT, (uint32_t)image->height) &&
                lib->TIFFSetField(w->tiff, BITS, gndi_image_bits(image)) &&
                lib->TIFFSetField(w->tiff, SAMPLES, image->channels) &&
                lib->TIFFSetField(w->tiff, SAMPLE_FORMAT, format_of(image->dtype)) &&
                lib->TIFFSetField(w->tiff, COMPRESSION, NOT_PACKED) &&
                lib->TIFFSetField(w->tiff, PHOTOMETRIC, colors ? RGB : BLACK_IS_0) &&
                lib->TIFFSetField(w->tiff, PLANAR, 1) && lib->TIFFSetField(w->tiff, ROWS_PER_STRIP, (uint32_t)rows) &&
                (extra == 0 || lib->TIFFSetField(w->tiff, EXTRA_SAMPLES, extra, kinds));
    for (int64_t y = 0; good && y < image->height; y += rows) {
        const size_t bytes = (size_t)gndi_min(rows, image->height - y) * row;
        good = lib->TIFFWriteEncodedStrip(w->tiff, (uint32_t)(y / rows), image->pixels + (size_t)y * row,
                                          (ptrdiff_t)bytes) == (ptrdiff_t)bytes;
    }
    return good && lib->TIFFWriteDirectory(w->tiff);
}

gnd_status gndi_tiff_write(gndi_output *out, gndi_image *image) {
    tiff_work w = {.lib = gndi_libtiff_get(out->fn), .fn = out->fn, .name = out->name};
    if (!w.lib) return gndi_ew_pending();
    const uint64_t bytes = gndi_image_row(image) * (uint64_t)image->height;
    if (image->width > INT32_MAX || image->height > INT32_MAX)
        return gndi_raise(GND_ERROR_SHAPE, out->fn, "a TIFF has at most %d rows and columns, not %lld and %lld",
                          INT32_MAX, (long long)image->height, (long long)image->width);
    open_tiff(&w, bytes > UINT32_MAX - (1 << 24) ? "w8" : "w"); /* 8: BigTIFF, of more than 4 GiB */
    const bool good = w.tiff && write_page(&w, image);
    if (w.tiff) w.lib->TIFFClose(w.tiff);
    gnd_status status = GND_OK;
    if (w.failed)
        status = gndi_ew_pending();
    else if (!good)
        status = gndi_raise(GND_ERROR_IO, out->fn, "cannot write %s: %s", out->name, w.problem);
    if (status == GND_OK) status = gndi_output_write(out, w.bytes, (size_t)w.size);
    gndi_free(w.bytes);
    return status;
}
