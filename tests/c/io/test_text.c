/* Files of text: what is read, what is written, what is refused, in any locale. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "hostile.h"
#include "reads.h"
#include "values.h"

#include <locale.h>
#include <time.h>

static const char path[] = "test_text_scratch.txt";

static gnd_array *text(const char *content, const gnd_text_options *options) {
    write_bytes(path, content, strlen(content));
    return gnd_loadtxt(path, options);
}
#define TEXT(content, ...) text(content, &(gnd_text_options){__VA_ARGS__})

static gnd_array *gaps(const char *content, const gnd_text_options *options) {
    write_bytes(path, content, strlen(content));
    return gnd_genfromtxt(path, options);
}
#define GAPS(content, ...) gaps(content, &(gnd_text_options){__VA_ARGS__})

TEST(numbers_are_read) {
    CHECK(reads(text("1 2 3\n4 5 6\n", NULL), "array([[1., 2., 3.],\n       [4., 5., 6.]])"));
    CHECK(HOLDS(TEXT("1,2\r\n\r\n3 , 4", .delimiter = ","), 1, 2, 3, 4));
    CHECK(HOLDS(TEXT("1;;2\r3;;4", .delimiter = ";;"), 1, 2, 3, 4));
    CHECK(HOLDS(TEXT("\xef\xbb\xbf  1 \t 2 # three\n# none\n   \n3 4"), 1, 2, 3, 4));
    CHECK(HOLDS(TEXT("1 % 2\n3 # 4", .comments = "%", .columns = (int[]){0}, .column_count = 1), 1, 3));
    CHECK(HOLDS(TEXT("-.5 +5. 1e3 1E-3 nan inf -Infinity"), -0.5, 5, 1000, 0.001, NAN, INFINITY, -INFINITY));
    CHECK(HOLDS(TEXT("0.1 123456789012345678901234567890 1e400 -1e-400 4.9e-324 0e99999999999"), 0.1,
                123456789012345678901234567890., INFINITY, -0.0, 4.9e-324, 0));
    CHECK(
        HOLDS(TEXT("9007199254740993 9007199254740992.9999999999999999999999999"), 9007199254740992, 9007199254740992));
    CHECK(reads(TEXT("-128 127", .dtype = GND_INT8), "array([-128,  127], dtype=int8)"));
    CHECK(reads(TEXT("18446744073709551615 +0", .dtype = GND_UINT64),
                "array([18446744073709551615,                    0], dtype=uint64)"));
    CHECK(reads(TEXT("True 0 false 7", .dtype = GND_BOOL), "array([ True, False, False,  True])"));
    CHECK(reads(TEXT("1+2j (3-4e+1j) 5 2j 1+-2j", .dtype = GND_COMPLEX64),
                "array([1. +2.j, 3.-40.j, 5. +0.j, 0. +2.j, 1. -2.j], dtype=complex64)"));
    CHECK(HOLDS_AS(TEXT("0.1 65519 65520", .dtype = GND_FLOAT16), GND_FLOAT16, 0.0999755859375, 65504, INFINITY));
    CHECK(HOLDS_AS(TEXT("1.00390625", .dtype = GND_BFLOAT16), GND_BFLOAT16, 1));
    remove(path);
}

/* Seconds to read so many lines that end so. */
static double seconds_to_read(int lines, char end) {
    struct timespec from, to;
    char *content = malloc(2 * (size_t)lines);
    for (int i = 0; content && i < lines; i++) content[2 * i] = '7', content[2 * i + 1] = end;
    write_bytes(path, content, 2 * (size_t)lines);
    free(content);
    clock_gettime(CLOCK_MONOTONIC, &from);
    gnd_array *a = gnd_loadtxt(path, NULL);
    clock_gettime(CLOCK_MONOTONIC, &to);
    CHECK(gnd_size(a) == lines);
    gnd_release(a);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

TEST(lines_that_end_in_a_carriage_return_cost_no_more) {
    const double usual = seconds_to_read(1000000, '\n'), other = seconds_to_read(1000000, '\r');
    CHECK(other < 10 * usual + 0.5); /* 10^12 bytes were looked at */
    remove(path);
}

TEST(rows_and_columns_are_chosen) {
    const char *table = "a b c\n1 2 3\n4 5 6\n7 8 9\nthe end\n";
    const int swapped[] = {2, 0}, last[] = {-1};
    CHECK(HOLDS(TEXT(table, .skip_rows = 1, .max_rows = 2), 1, 2, 3, 4, 5, 6));
    CHECK(HOLDS(TEXT(table, .skip_rows = 2, .skip_footer = 1), 4, 5, 6, 7, 8, 9));
    CHECK(HOLDS(TEXT(table, .skip_rows = 1, .max_rows = 2, .columns = swapped, .column_count = 2), 3, 1, 6, 4));
    CHECK(HOLDS(TEXT(table, .skip_rows = 1, .max_rows = 3, .columns = last, .column_count = 1), 3, 6, 9));
    CHECK(gnd_size(TEXT(table, .skip_rows = 100)) == 0);
    CHECK(gnd_size(TEXT(table, .skip_footer = 100)) == 0);
    CHECK(HOLDS(TEXT("'1' '2'\n' 3'  4", .quote = '\''), 1, 2, 3, 4));
    CHECK(HOLDS(TEXT("\"1\",\"2\"\n3,4", .quote = '"', .delimiter = ","), 1, 2, 3, 4));
    CHECK(reads(TEXT("5"), "array(5.)") && reads(TEXT("5", .ndmin = 1), "array([5.])"));
    CHECK(reads(TEXT("5", .ndmin = 2), "array([[5.]])"));
    CHECK(reads(TEXT("5 6", .ndmin = 2), "array([[5., 6.]])"));
    CHECK(reads(TEXT("5\n6", .ndmin = 2), "array([[5.],\n       [6.]])"));
    CHECK(gnd_ndim(TEXT("")) == 1 && gnd_size(TEXT("#x\n")) == 0);
    CHECK(gnd_dim(TEXT("", .ndmin = 2), 1) == 1);
    remove(path);
}

TEST(gaps_are_filled) {
    CHECK(HOLDS(GAPS("1,,3\nx,5,", .delimiter = ","), 1, NAN, 3, NAN, 5, NAN));
    CHECK(HOLDS(GAPS("1,,3\n0,5,NA", .delimiter = ",", .fill = true, .filling = -9), 1, -9, 3, 0, 5, -9));
    CHECK(HOLDS(GAPS("1 999 0", .missing = "NA,999"), 1, NAN, 0));
    CHECK(reads(GAPS("1 x", .dtype = GND_INT16), "array([ 1, -1], dtype=int16)"));
    CHECK_ERROR(GAPS("1 x", .dtype = GND_UINT8), GND_ERROR_VALUE, "there is no -1");
    CHECK(reads(GAPS("1 x", .dtype = GND_UINT8, .fill = true), "array([1, 0], dtype=uint8)"));
    CHECK(reads(GAPS("1.9 -2e1 1e30", .dtype = GND_INT8), "array([  1, -20,  -1], dtype=int8)"));
    CHECK(reads(GAPS("1 x", .dtype = GND_BOOL), "array([ True, False])"));
    CHECK(reads(GAPS("1 x", .dtype = GND_COMPLEX128), "array([ 1.+0.j, nan+0.j])"));
    CHECK_ERROR(GAPS("1,2\n3", .delimiter = ","), GND_ERROR_VALUE, "line 2 has 1 fields");
    CHECK_ERROR(GAPS("1", .dtype = GND_INT8, .fill = true, .filling = 0.5), GND_ERROR_VALUE, "0.5");
    CHECK_ERROR(GAPS("1", .dtype = GND_INT8, .fill = true, .filling = 200), GND_ERROR_VALUE, "200");
    CHECK_ERROR(gnd_genfromtxt(NULL, NULL), GND_ERROR_INVALID, "gnd_genfromtxt");
    remove(path);
}

TEST(text_is_refused) {
    const int third[] = {2}, before[] = {-3};
    CHECK_ERROR(TEXT("1 2\n3 abc"), GND_ERROR_VALUE,
                "test_text_scratch.txt\", line 2, column 1: \"abc\" is no float64");
    CHECK_ERROR(TEXT("1,,3", .delimiter = ","), GND_ERROR_VALUE, "gnd_genfromtxt takes files");
    CHECK_ERROR(TEXT("1 2\n\n3"), GND_ERROR_VALUE, "line 3 has 1 fields, and the rows before it 2");
    CHECK_ERROR(TEXT("300", .dtype = GND_UINT8), GND_ERROR_VALUE, "\"300\" is no uint8");
    CHECK_ERROR(TEXT("-1", .dtype = GND_UINT8), GND_ERROR_VALUE, "no uint8");
    CHECK_ERROR(TEXT("1.5", .dtype = GND_INT32), GND_ERROR_VALUE, "no int32");
    CHECK_ERROR(TEXT("9223372036854775808", .dtype = GND_INT64), GND_ERROR_VALUE, "no int64");
    CHECK_ERROR(TEXT("18446744073709551616", .dtype = GND_UINT64), GND_ERROR_VALUE, "no uint64");
    CHECK_ERROR(TEXT("maybe", .dtype = GND_BOOL), GND_ERROR_VALUE, "no bool");
    static const char *const bad[] = {"1e",   "e5", ".",  "+",     "--1",  "0x10", "1_000",
                                      "nan5", "in", "1f", "1.2.3", "1e5.", "1e+",  "- 1"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK_ERROR(TEXT(bad[k], .delimiter = ";"), GND_ERROR_VALUE, bad[k]);
    static const char *const no_complex[] = {"j", "1+j", "(1+2j", "1+2", "()", "1+2jj", "1j+2"};
    for (size_t k = 0; k < sizeof no_complex / sizeof *no_complex; k++)
        CHECK_ERROR(TEXT(no_complex[k], .dtype = GND_COMPLEX64), GND_ERROR_VALUE, no_complex[k]);
    CHECK_ERROR(TEXT("1 2", .columns = third, .column_count = 1), GND_ERROR_VALUE, "no column 2");
    CHECK_ERROR(TEXT("1 2", .columns = before, .column_count = 1), GND_ERROR_VALUE, "no column -3");
    CHECK_ERROR(TEXT("1 2", .columns = third), GND_ERROR_INVALID, "column_count");
    CHECK_ERROR(TEXT("1 2", .column_count = 1), GND_ERROR_INVALID, "columns is NULL");
    CHECK_ERROR(TEXT("1 2", .ndmin = 3), GND_ERROR_INVALID, "ndmin is 3");
    CHECK_ERROR(TEXT("1 2", .skip_rows = -1), GND_ERROR_INVALID, "-1");
    CHECK_ERROR(TEXT("1 2", .delimiter = ""), GND_ERROR_INVALID, "delimiter");
    CHECK_ERROR(TEXT("1 2", .dtype = (gnd_dtype)99), GND_ERROR_DTYPE, "99");
    CHECK_ERROR(gnd_loadtxt(NULL, NULL), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_loadtxt("no such file.txt", NULL), GND_ERROR_IO, "no such file.txt");
    CHECK_ERROR(gnd_loadtxt(".", NULL), GND_ERROR_IO, "directory");
    remove(path);
}

/* What gnd_savetxt writes. */
static bool writes(const gnd_array *a, const gnd_savetxt_options *options, const char *expected) {
    size_t length = 0;
    if (gnd_savetxt(path, a, options) != GND_OK) return false;
    char *got = file_bytes(path, &length);
    const bool same = length == strlen(expected) && memcmp(got, expected, length) == 0;
    if (!same) printf("# wrote: %.*s\n", (int)length, got);
    free(got);
    return same;
}
#define WRITES(a, expected, ...) writes(a, &(gnd_savetxt_options){__VA_ARGS__}, expected)

TEST(numbers_are_written) {
    gnd_array *x = gnd_reshape(DOUBLES(1, -2.5, 1e100, NAN), GND_SHAPE(2, 2));
    CHECK(writes(x, NULL,
                 "1.000000000000000000e+00 -2.500000000000000000e+00\n"
                 "1.000000000000000016e+100 nan\n"));
    CHECK(WRITES(x, "1,-2.5\n1e+100,nan\n", .format = "%g", .delimiter = ","));
    CHECK(WRITES(gnd_transpose(x), "1.0|1e+100\n-2.5|nan\n", .format = "%s", .delimiter = "|"));
    CHECK(WRITES(gnd_slice(x, "0"), "  +1%\r\n  -2%\r\n", .format = "%+4d%%", .newline = "\r\n"));
    CHECK(WRITES(gnd_slice(x, ":, 0"), "x= 1.0\nx= 1e+100\n", .format = "x= %s"));
    CHECK(WRITES(gnd_slice(x, ":1"), "<1.00>[  -2]\n", .format = "<%#.3g>[%4.0f]"));
    CHECK(WRITES(gnd_slice(x, "0"), "# a\n# b\n1\n-2.5\n# c\n", .format = "%g", .header = "a\nb", .footer = "c"));
    CHECK(WRITES(gnd_slice(x, ":0"), ";h\n", .comments = ";", .header = "h"));
    CHECK(WRITES(gnd_slice(x, ":, :0"), "\n\n"));
    CHECK(WRITES(INTEGERS(INT64_MIN, INT64_MAX), "-9223372036854775808\n9223372036854775807\n", .format = "%d"));
    CHECK(WRITES(gnd_full(GND_SHAPE(1), UINT64_MAX, GND_UINT64), "18446744073709551615\n", .format = "%i"));
    CHECK(WRITES(gnd_full(GND_SHAPE(1), true, GND_BOOL), "True\n", .format = "%s"));
    CHECK(WRITES(gnd_full(GND_SHAPE(1), true, GND_BOOL), "1\n", .format = "%d"));
    CHECK(WRITES(gnd_full(GND_SHAPE(1), -7, GND_INT8), "-7.0e+00\n", .format = "%.1e"));
    CHECK(WRITES(gnd_full(GND_SHAPE(1), 0.1, GND_FLOAT16), "0.1\n", .format = "%s"));
    CHECK(WRITES(gnd_full(GND_SHAPE(1), 1e30, GND_FLOAT64), "1000000000000000019884624838656\n", .format = "%d"));
    gnd_array *z = gnd_full(GND_SHAPE(1, 2), 1, GND_COMPLEX64);
    CHECK(WRITES(z, " (1+0j)  (1+0j)\n", .format = "%g"));
    CHECK(WRITES(gnd_conjugate(z), " (1-0j)  (1-0j)\n", .format = "%g"));
    CHECK(WRITES(z, "1 0i, 1 0i\n", .format = "%g %gi, %g %gi"));
    remove(path);
}

TEST(written_in_pieces_and_read_back) {
    gnd_array *x = gnd_slice(count_up(GND_SHAPE(30, 2000), GND_FLOAT32), "::-1, ::3");
    gnd_array *y = gnd_divide(gnd_astype(x, GND_FLOAT64), 7);
    CHECK(gnd_savetxt(path, y, NULL) == GND_OK);
    CHECK(gnd_array_equal(gnd_loadtxt(path, NULL), y, false));
    CHECK(gnd_savetxt(path, y, &(gnd_savetxt_options){.format = "%s", .delimiter = ","}) == GND_OK);
    CHECK(gnd_array_equal(gnd_loadtxt(path, &(gnd_text_options){.delimiter = ","}), y, false));
    CHECK_FAILS_CLEANLY(gnd_loadtxt(path, &(gnd_text_options){.delimiter = ","}));
    remove(path);
}

TEST(formats_are_refused) {
    gnd_array *x = DOUBLES(1, NAN), *two = count_up(GND_SHAPE(2, 2), GND_INT32);
    static const char *const bad[] = {"%n",     "%*d",     "%p", "%c",           "%",   "%5", "%ld",
                                      "%1000d", "%.1000f", "%x", "%-+ #0-+ #0d", "%$d", "%a", "%%"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK_ERROR(gnd_savetxt(path, x, &(gnd_savetxt_options){.format = bad[k]}), GND_ERROR_INVALID, "conversion");
    }
    CHECK_ERROR(gnd_savetxt(path, two, &(gnd_savetxt_options){.format = "%d %d %d"}), GND_ERROR_INVALID,
                "has 3 conversions, and a row 2 numbers");
    CHECK_ERROR(gnd_savetxt(path, x, &(gnd_savetxt_options){.format = "%d"}), GND_ERROR_VALUE, "NaN");
    CHECK_ERROR(gnd_savetxt(path, gnd_full(GND_SCALAR, 1, GND_INT8), NULL), GND_ERROR_SHAPE, "()");
    CHECK_ERROR(gnd_savetxt(path, gnd_zeros(GND_SHAPE(1, 1, 1), GND_INT8), NULL), GND_ERROR_SHAPE, "(1, 1, 1)");
    CHECK_ERROR(gnd_savetxt(NULL, x, NULL), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_savetxt(path, NULL, NULL), GND_ERROR_INVALID, "a");
    CHECK_ERROR(gnd_savetxt("no such folder/x", x, NULL), GND_ERROR_IO, "no such folder");
    CHECK(fopen(path, "r") == NULL); /* refused: nothing was written */
}

/* Makes a locale that writes 1,5, of no more than that, and switches to it: few machines have one. False
   without localedef, which comes with glibc. It warns of all that is missing, hence its status says nothing. */
static bool use_locale_with_comma(const char *folder) {
    static const char source[] = "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"<U002E>\"\n"
                                 "grouping 3;3\nEND LC_NUMERIC\n";
    char command[256];
    write_bytes(path, source, sizeof source - 1);
    snprintf(command, sizeof command,
             "mkdir -p %s && PATH=$PATH:/usr/sbin localedef -c --no-archive -i %s %s/comma "
             ">%s/said 2>&1",
             folder, path, folder, folder);
    if (system(command) == -1) return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_NUMERIC, "comma") != NULL;
}

TEST(the_locale_does_not_matter) {
    char number[8];
    const bool made = use_locale_with_comma("test_text_locale");
    CHECK(system("rm -r test_text_locale") == 0 && remove(path) == 0);
    if (!made) SKIP("no localedef, which makes a locale with a comma");
    snprintf(number, sizeof number, "%.1f", 1.5);
    CHECK(strcmp(number, "1,5") == 0);
    CHECK(HOLDS(TEXT("1.5 2.500000000000000000000001"), 1.5, 2.5));
    CHECK(WRITES(DOUBLES(1.5), "1.5\n", .format = "%g"));
    CHECK(strcmp(setlocale(LC_NUMERIC, NULL), "comma") == 0);
    setlocale(LC_NUMERIC, "C");
    remove(path);
}

static gnd_array *load_csv(const char *name) {
    return gnd_loadtxt(name, &(gnd_text_options){.delimiter = ",", .quote = '"'});
}
static gnd_array *load_gaps(const char *name) {
    return gnd_genfromtxt(name, &(gnd_text_options){.delimiter = ",", .dtype = GND_COMPLEX64});
}

TEST(text_truncated_and_changed) {
    static const char table[] = "# a\n1.5,\"2\",-3e-5\n123456789012345678901234567890,0,nan\n";
    write_bytes(path, table, sizeof table - 1);
    check_truncations(load_csv, path, 0);
    check_changes(load_csv, path, SIZE_MAX);
    write_bytes(path, table, sizeof table - 1);
    check_truncations(load_gaps, path, 0);
    check_changes(load_gaps, path, SIZE_MAX);
    remove(path);
}

TEST_MAIN
