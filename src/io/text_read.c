/*
 * text_read.c: gnd_loadtxt and gnd_genfromtxt. The file is read as a whole and parsed line by line into
 * elements on the host, which become an array at the end.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include "io/text_number.h"
#include <math.h>
#include <stdlib.h>

typedef struct field {
    char *begin, *end;
} field;

typedef struct text_reader {
    const char *fn, *name;
    gnd_text_options options;
    size_t itemsize, delimiter_length, comment_length;
    bool forgiving; /* what is missing is filled in */
    char filling[16];
    bool has_filling;
    int64_t line;        /* its number, from 1 */
    int64_t columns;     /* fields of the first row; -1 before there is one */
    int64_t rows, width; /* read so far, and numbers in each */
    char *newline;       /* the first \n from the line in work on, or the end */
    field *fields;
    int64_t field_capacity;
    char *elements;
    size_t used, capacity;
} text_reader;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

static void trim(field *f) {
    while (f->begin < f->end && is_blank(*f->begin)) f->begin++;
    while (f->begin < f->end && is_blank(f->end[-1])) f->end--;
}

/* ---- a line into fields --------------------------------------------------------------------- */

/* Where `text` is found first, outside of quotes; `end` if it is not. */
static char *find(const text_reader *r, char *at, char *end, const char *text, size_t length) {
    bool quoted = false;
    const char quote = r->options.quote;
    if (!quote && length == 1) {
        char *found = memchr(at, *text, (size_t)(end - at));
        return found ? found : end;
    }
    for (; (size_t)(end - at) >= length; at++) {
        if (quote && *at == quote)
            quoted = !quoted;
        else if (!quoted && memcmp(at, text, length) == 0)
            return at;
    }
    return end;
}

static bool add_field(text_reader *r, int64_t count, char *begin, char *end) {
    if (count == r->field_capacity) {
        int64_t capacity = r->field_capacity ? 2 * r->field_capacity : 64;
        field *larger = gndi_realloc(r->fn, r->fields, (size_t)capacity * sizeof *larger);
        if (!larger) return false;
        r->fields = larger, r->field_capacity = capacity;
    }
    field *f = &r->fields[count];
    *f = (field){begin, end};
    trim(f);
    if (r->options.quote && f->end - f->begin > 1 && *f->begin == r->options.quote && f->end[-1] == r->options.quote) {
        f->begin++, f->end--;
        trim(f);
    }
    return true;
}

/* How many fields the line has; 0 if it is blank; -1 and an error. */
static int64_t split(text_reader *r, char *at, char *end) {
    int64_t count = 0;
    if (r->comment_length) end = find(r, at, end, r->options.comments, r->comment_length);
    field whole = {at, end};
    trim(&whole);
    if (whole.begin == whole.end) return 0;
    if (r->options.delimiter) {
        for (;; at += r->delimiter_length) {
            char *stop = find(r, at, end, r->options.delimiter, r->delimiter_length);
            if (!add_field(r, count++, at, stop)) return -1;
            if (stop == end) return count;
            at = stop;
        }
    }
    for (at = whole.begin, end = whole.end; at < end; count++) {
        char *stop = at;
        bool quoted = false;
        for (; stop < end && (quoted || !is_blank(*stop)); stop++)
            if (r->options.quote && *stop == r->options.quote) quoted = !quoted;
        if (!add_field(r, count, at, stop)) return -1;
        for (at = stop; at < end && is_blank(*at);) at++;
    }
    return count;
}

/* ---- fields into numbers -------------------------------------------------------------------- */

/* Whether the field is one of the texts of options.missing. */
static bool is_missing(const text_reader *r, const field *f) {
    const size_t length = (size_t)(f->end - f->begin);
    for (const char *at = r->options.missing; at;) {
        size_t word = strcspn(at, ",");
        if (word == length && memcmp(at, f->begin, length) == 0) return true;
        at = at[word] ? at + word + 1 : NULL;
    }
    return false;
}

/* An integer written as 6.5e2: what is behind the point is cut off, as numpy.genfromtxt does it. */
static bool read_as_real(const text_reader *r, const field *f, void *to) {
    double value;
    gndi_scalar element;
    if (!gndi_dtype_is_int((int)r->options.dtype) || !gndi_text_number(f->begin, f->end, GND_FLOAT64, &value) ||
        !(fabs(value) < 0x1p63))
        return false;
    if (!gndi_scalar_from_arg(NULL, gnd_arg_int((int64_t)value), r->options.dtype, &element)) return false;
    memcpy(to, &element, r->itemsize);
    return true;
}

static gnd_status read_field(text_reader *r, int64_t column) {
    field *f = &r->fields[column];
    char *to = r->elements + r->used;
    r->used += r->itemsize;
    bool missing = r->forgiving && (f->begin == f->end || is_missing(r, f));
    if (!missing && gndi_text_number(f->begin, f->end, r->options.dtype, to)) return GND_OK;
    if (r->forgiving && !missing && read_as_real(r, f, to)) return GND_OK;
    if (r->forgiving && r->has_filling) {
        memcpy(to, r->filling, r->itemsize);
        return GND_OK;
    }
    int length = f->end - f->begin < 60 ? (int)(f->end - f->begin) : 60;
    for (int i = 0; i < length; i++)
        if ((unsigned char)f->begin[i] < ' ') f->begin[i] = '?';
    return gndi_raise(GND_ERROR_VALUE, r->fn, "%s, line %lld, column %lld: \"%.*s\" is no %s%s", r->name,
                      (long long)r->line, (long long)column, length, f->begin, gnd_dtype_name(r->options.dtype),
                      r->forgiving  ? ", and there is no -1 to stand for it; fill and filling say what does"
                      : length == 0 ? "; gnd_genfromtxt takes files where numbers are missing"
                      : !r->options.delimiter && memchr(f->begin, ',', (size_t)length)
                          ? "; fields end at white space, unless options name a delimiter"
                          : "");
}

static gnd_status raise_columns(const text_reader *r, int64_t count) {
    return gndi_raise(GND_ERROR_VALUE, r->fn, "%s, line %lld has %lld fields, and the rows before it %lld", r->name,
                      (long long)r->line, (long long)count, (long long)r->columns);
}

/* Number `k` of the columns that are read, as a position among `count` fields; -1 and an error. */
static int64_t column_of(const text_reader *r, int64_t k, int64_t count) {
    if (!r->options.columns) return k;
    int64_t column = r->options.columns[k];
    if (column < 0 && count != r->columns) return raise_columns(r, count), -1;
    if (column < 0) column += count;
    if (column >= 0 && column < count) return column;
    gndi_raise(GND_ERROR_VALUE, r->fn, "%s, line %lld has %lld fields; there is no column %d", r->name,
               (long long)r->line, (long long)count, r->options.columns[k]);
    return -1;
}

static gnd_status read_row(text_reader *r, int64_t count) {
    if (r->columns < 0) {
        r->columns = count;
        r->width = r->options.columns ? r->options.column_count : count;
    } else if (count != r->columns && !r->options.columns) {
        return raise_columns(r, count);
    }
    size_t bytes = (size_t)r->width * r->itemsize;
    if (r->capacity - r->used < bytes) {
        size_t capacity = 2 * r->capacity + bytes;
        char *larger = gndi_realloc(r->fn, r->elements, capacity);
        if (!larger) return gndi_ew_pending();
        r->elements = larger, r->capacity = capacity;
    }
    for (int64_t k = 0; k < r->width; k++) {
        int64_t column = column_of(r, k, count);
        if (column < 0) return gndi_ew_pending();
        gnd_status status = read_field(r, column);
        if (status != GND_OK) return status;
    }
    r->rows++;
    return GND_OK;
}

/* ---- all lines ------------------------------------------------------------------------------ */

/* The end of the line that begins here: at \n, at \r, or at the text's end. The next \n, which may be many
   lines away, is looked for once. */
static char *line_end(text_reader *r, char *at, char *end) {
    if (!r->newline || r->newline < at) {
        r->newline = memchr(at, '\n', (size_t)(end - at));
        if (!r->newline) r->newline = end;
    }
    char *carriage = memchr(at, '\r', (size_t)(r->newline - at));
    return carriage ? carriage : r->newline;
}

static char *next_line(char *stop, char *end) {
    if (stop == end) return end;
    return *stop == '\r' && stop + 1 < end && stop[1] == '\n' ? stop + 2 : stop + 1;
}

/* The text without its last `count` lines. */
static char *without_footer(char *begin, char *end, int64_t count) {
    for (; count > 0 && end > begin; count--) {
        if (end[-1] == '\n') end--;
        if (end > begin && end[-1] == '\r') end--;
        while (end > begin && end[-1] != '\n' && end[-1] != '\r') end--;
    }
    return end;
}

static gnd_status read_lines(text_reader *r, char *at, char *end) {
    const gnd_text_options *o = &r->options;
    if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* a mark of UTF-8 */
    end = without_footer(at, end, o->skip_footer);
    for (; at < end && (o->max_rows == 0 || r->rows < o->max_rows);) {
        char *stop = line_end(r, at, end);
        r->line++;
        if (r->line > o->skip_rows) {
            int64_t count = split(r, at, stop);
            gnd_status status = count < 0 ? gndi_ew_pending() : GND_OK;
            if (count > 0) status = read_row(r, count);
            if (status != GND_OK) return status;
        }
        at = next_line(stop, end);
    }
    return GND_OK;
}

/* What there is, with axes of size 1 dropped as far as ndmin lets them. */
static gnd_array *as_array(const text_reader *r) {
    const int least = r->options.ndmin;
    int64_t shape[2] = {r->rows, r->width};
    int ndim = 2;
    if (r->rows == 0) shape[1] = 1;
    if (least < 2 && shape[1] == 1)
        ndim = 1;
    else if (least < 2 && shape[0] == 1)
        shape[0] = shape[1], ndim = 1;
    if (least < 1 && ndim == 1 && shape[0] == 1) ndim = 0;
    return gndi_array_of_bytes(r->fn, r->elements, ndim, shape, r->options.dtype);
}

/* ---- options -------------------------------------------------------------------------------- */

static gnd_status check_options(const char *fn, const gnd_text_options *o) {
    if (!gndi_dtype_valid((int)o->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)o->dtype);
    if (o->delimiter && (!*o->delimiter || strpbrk(o->delimiter, "\n\r")))
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "a delimiter has at least one character and no end of a line; NULL is any "
                          "white space");
    if (o->skip_rows < 0 || o->skip_footer < 0 || o->max_rows < 0)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "skip_rows, skip_footer and max_rows are at least 0, not %lld, %lld and "
                          "%lld",
                          (long long)o->skip_rows, (long long)o->skip_footer, (long long)o->max_rows);
    if (o->column_count < 0 || (o->column_count > 0) != (o->columns != NULL))
        return gndi_raise(GND_ERROR_INVALID, fn, "columns is %s, but column_count is %d; give both or neither",
                          o->columns ? "given" : "NULL", o->column_count);
    if (o->ndmin < 0 || o->ndmin > 2)
        return gndi_raise(GND_ERROR_INVALID, fn, "ndmin is %d; it is 0, 1 or 2", o->ndmin);
    return GND_OK;
}

/* The element that stands for what is missing. */
static gnd_status find_filling(text_reader *r) {
    gndi_scalar value = {0};
    const gnd_dtype dtype = r->options.dtype;
    const bool whole = gndi_dtype_is_int((int)dtype);
    const bool truth = gndi_dtype_is_bool((int)dtype);
    double filling = r->options.filling;
    if (!r->options.fill) filling = whole ? -1 : truth ? 0 : NAN;
    if ((whole || truth) && filling != floor(filling))
        return gndi_raise(GND_ERROR_VALUE, r->fn, "filling is %g, which is no %s", filling, gnd_dtype_name(dtype));
    gnd_arg arg = whole   ? gnd_arg_int((int64_t)fmax(-0x1p62, fmin(filling, 0x1p62)))
                  : truth ? gnd_arg_bool(filling != 0)
                          : gnd_arg_real(filling);
    r->has_filling = r->options.fill || gnd_dtype_kind(dtype) != 'u'; /* no unsigned integer is -1 */
    if (r->has_filling && !gndi_scalar_from_arg(r->fn, arg, dtype, &value)) return gndi_ew_pending();
    memcpy(r->filling, &value, r->itemsize);
    return GND_OK;
}

static gnd_array *load(const char *fn, const char *path, const gnd_text_options *options, bool forgiving) {
    gndi_path_text name;
    gndi_source source;
    text_reader r = {.fn = fn, .forgiving = forgiving, .columns = -1};
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (options) r.options = *options;
    if (r.options.dtype == GND_DTYPE_NONE) r.options.dtype = GND_FLOAT64;
    if (!r.options.comments) r.options.comments = "#";
    if (check_options(fn, &r.options) != GND_OK) return NULL;
    r.itemsize = gndi_dtype_sizes[r.options.dtype];
    r.comment_length = strlen(r.options.comments);
    r.delimiter_length = r.options.delimiter ? strlen(r.options.delimiter) : 0;
    if (forgiving && find_filling(&r) != GND_OK) return NULL;
    if (!gndi_source_open(&source, fn, path, &name)) return NULL;
    size_t bytes;
    char *text = gndi_read_all(&source, NULL, 0, &bytes);
    fclose(source.context);
    if (!text) return NULL;
    r.name = name.text;
    void *locale = gndi_text_locale_begin();
    gnd_status status = read_lines(&r, text, text + bytes);
    gndi_text_locale_end(locale);
    gndi_free(text);
    gndi_free(r.fields);
    gnd_array *a = status == GND_OK ? as_array(&r) : NULL;
    gndi_free(r.elements);
    return a;
}

gnd_array *gnd_loadtxt(const char *path, const gnd_text_options *options) {
    return load("gnd_loadtxt", path, options, false);
}

gnd_array *gnd_genfromtxt(const char *path, const gnd_text_options *options) {
    return load("gnd_genfromtxt", path, options, true);
}
