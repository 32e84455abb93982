/*
 * gnd/textfile.h: arrays in files of text: CSV, columns of numbers, as numpy.loadtxt, numpy.genfromtxt
 * and numpy.savetxt have them. Numbers are read and written with a point, whatever the locale.
 */
#ifndef GND_TEXTFILE_H
#define GND_TEXTFILE_H

#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/**
 * Options for reading text. All zero: NumPy's defaults.
 *
 *     gnd_loadtxt("sunspots.csv", &(gnd_text_options){.delimiter = ",", .skip_rows = 1});
 */
typedef struct gnd_text_options {
    gnd_dtype dtype;       /**< of the result; not given: float64 */
    const char *delimiter; /**< separator of fields; NULL: any white space */
    const char *comments;  /**< starts a comment; NULL: "#"; "": no comments */
    int64_t skip_rows;     /**< lines to skip at the beginning, of any kind */
    int64_t skip_footer;   /**< lines to skip at the end */
    int64_t max_rows;      /**< maximum number of rows of numbers; 0: all */
    const int *columns;    /**< which columns, from 0, in this order; negative: from the last; NULL: all */
    int column_count;      /**< how many `columns` has */
    int ndmin;             /**< minimum number of dimensions, 0 to 2: others of size 1 are dropped */
    char quote;            /**< quotes around fields; 0: none */
    bool fill;             /**< gnd_genfromtxt: missing fields become `filling`, not the default */
    double filling;
    const char *missing; /**< gnd_genfromtxt: these texts are missing values, too: "NA,-,n/a" */
    void *reserved[4];
} gnd_text_options;

/**
 * Reads the numbers of a file onto the current device, one row a line (numpy.loadtxt). Blank lines and lines
 * with only a comment are skipped. All rows must have the same number of fields, unless `columns` selects
 * some. The result has shape (rows, columns); axes of size 1 are dropped down to `ndmin` dimensions. A file
 * without numbers gives shape (0,), or (0, 1) with an ndmin of 2. `options` may be NULL.
 *
 * A field is one number, with white space around it: 12, -3.5e7, nan, inf; for integer dtypes an integer that
 * fits; for bool an integer, True or False; for complex ones 1+2j, 2j or (1+2j). 10^6 numbers take some
 * tenths of a second. GND_ERROR_IO if the file cannot be read, or is no regular file (a pipe, a device) and
 * has more than 1 GiB, GND_ERROR_VALUE, with line and column, for a field that is no number and for rows of
 * different lengths: lines count from 1, columns, as in the options, from 0.
 */
GND_API gnd_array *gnd_loadtxt(const char *path, const gnd_text_options *options);

/**
 * The same where values may be missing (numpy.genfromtxt): an empty field, a text of `missing`, and a
 * field that is no number of the dtype become `filling`, if `fill` says so, else NaN, in integers -1 and
 * in bools false; unsigned integers have no default. Integers may be written as 6.5e2; fractions are
 * cut off. Rows of different lengths are refused all the same.
 */
GND_API gnd_array *gnd_genfromtxt(const char *path, const gnd_text_options *options);

/** Options for writing text. All zero: NumPy's defaults. */
typedef struct gnd_savetxt_options {
    const char *format;    /**< NULL: "%.18e". d, i, u, e, f, g, E, F, G and s, with flags, width and
                                precision; one for every number, or a whole row's */
    const char *delimiter; /**< between fields; NULL: " " */
    const char *newline;   /**< at the end of lines; NULL: "\n" */
    const char *header;    /**< lines before the numbers, as comments; NULL: none */
    const char *footer;    /**< lines behind them; NULL: none */
    const char *comments;  /**< before lines of header and footer; NULL: "# " */
    void *reserved[4];
} gnd_savetxt_options;

/**
 * Writes an array of one or two dimensions as text, a row a line; one of one dimension is a column
 * (numpy.savetxt). Waits for the array's value. `options` may be NULL. A format is printf's: d cuts off
 * fractions, s writes the fewest digits that read back as the same number. Complex numbers are written "
 * (re+imj)", each part by the format. An existing file is replaced at the end, as by gnd_save.
 * GND_ERROR_SHAPE for other dimensions, GND_ERROR_INVALID for a format that is none, or does not have as many
 * conversions as a row numbers, GND_ERROR_VALUE if NaN or infinity meets d.
 */
GND_API gnd_status gnd_savetxt(const char *path, const gnd_array *a, const gnd_savetxt_options *options);

GND_END

#endif
