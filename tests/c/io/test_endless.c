/*
 * test_endless.c: devices and pipes that never end: every reader stops, with a sentence; and reads what ends
 * from a pipe.
 */
#define _GNU_SOURCE
#include "reads.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char pipe_path[] = "test_endless_pipe", path[] = "test_endless_scratch";
static pid_t writer;

/* Another process writes the beginning into the pipe, and then the rest again and again, or once. */
static void write_pipe(const void *begin, size_t length, const char *rest, size_t rest_length) {
    remove(pipe_path);
    CHECK(mkfifo(pipe_path, 0600) == 0);
    static char much[1 << 16];
    for (size_t i = 0; rest && i < sizeof much; i++) much[i] = rest[i % rest_length];
    fflush(stdout);
    writer = fork();
    if (writer != 0) return;
    signal(SIGPIPE, SIG_DFL);
    const int file = open(pipe_path, O_WRONLY);
    if (write(file, begin, length) == (ssize_t)length && rest)
        while (write(file, much, sizeof much - sizeof much % rest_length) > 0)
            ;
    _exit(0);
}

static void end_pipe(void) {
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    remove(pipe_path);
}

#define CHECK_ENDLESS(call, text)                                                                                      \
    do {                                                                                                               \
        alarm(100);                                                                                                    \
        CHECK_ERROR(call, GND_ERROR_IO, text);                                                                         \
        alarm(0);                                                                                                      \
        end_pipe();                                                                                                    \
    } while (0)

TEST(devices) {
    alarm(100);
    CHECK_ERROR(gnd_loadtxt("/dev/zero", NULL), GND_ERROR_IO, "\"/dev/zero\": it is no regular file");
    CHECK_ERROR(gnd_load("/dev/zero"), GND_ERROR_IO, "/dev/zero");
    CHECK_ERROR(gnd_fromfile("/dev/zero", GND_FLOAT64, -1, 0), GND_ERROR_IO, "no regular file");
    CHECK_ERROR(gnd_load_image("/dev/zero"), GND_ERROR_IO, "no picture");
    CHECK_ERROR(gnd_load_wav("/dev/zero", NULL), GND_ERROR_IO, "no WAV file");
    if (gnd_library_load("libzip") == GND_OK) CHECK_ERROR(gnd_npz_open("/dev/zero"), GND_ERROR_IO, "no regular file");
    gnd_error_clear();
    alarm(0);
}

TEST(headers_without_an_end) {
    write_pipe("P5 ", 3, " ", 1);
    CHECK_ENDLESS(gnd_load_image(pipe_path), "no end");
    write_pipe("P5 #", 4, "a", 1);
    CHECK_ENDLESS(gnd_load_image(pipe_path), "no end");
    write_pipe("P2 2 2 255 7 ", 13, " ", 1);
    CHECK_ENDLESS(gnd_load_image(pipe_path), "no end");
    write_pipe("RIFF\0\0\0\0WAVE", 12, "\0", 1);
    CHECK_ENDLESS(gnd_load_wav(pipe_path, NULL), "no end");
    write_pipe("\xff\xd8", 2, "\0", 1);
    CHECK_ENDLESS(gnd_load_image(pipe_path), "no end");
    write_pipe("SIMPLE  =", 9, " ", 1);
    CHECK_ENDLESS(gnd_load_fits(pipe_path, 0), "no end");
    if (gnd_library_load("libpng") == GND_OK) {
        static const char header[] = "\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\0\0\0\0\x3a\x7e\x9b\x55";
        write_pipe(header, sizeof header - 1, "\0\0\0\0prVt\xb1\xf8\x5a\x9c", 12);
        CHECK_ENDLESS(gnd_load_image(pipe_path), "");
    }
    gnd_error_clear();
}

/* What a file holds, through a pipe. */
static void pipe_file(void) {
    static char bytes[1 << 22];
    FILE *file = fopen(path, "rb");
    const size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    CHECK(length > 0);
    write_pipe(bytes, length, NULL, 0);
}

TEST(what_ends_is_read_from_a_pipe) {
    gnd_array *x = gnd_reshape(gnd_arange(0, 60000, 1, GND_INT16), GND_SHAPE(300, 200));
    gnd_array *grey = gnd_astype(gnd_remainder(x, 251), GND_UINT8);
    alarm(100);
    CHECK(gnd_save(path, x) == GND_OK);
    pipe_file();
    CHECK(gnd_array_equal(gnd_load(pipe_path), x, false));
    end_pipe();
    CHECK(gnd_savetxt(path, x, NULL) == GND_OK);
    pipe_file();
    CHECK(gnd_array_equal(gnd_loadtxt(pipe_path, NULL), x, false));
    end_pipe();
    CHECK(gnd_save_wav(path, x, 8000, 0) == GND_OK);
    pipe_file();
    CHECK(gnd_array_equal(gnd_load_wav(pipe_path, NULL), x, false));
    end_pipe();
    static const char *const names[][2] = {
        {"test_endless.pgm", NULL}, {"test_endless.png", "libpng"}, {"test_endless.tif", "libtiff"}};
    for (int i = 0; i < 3; i++) {
        if (names[i][1] && gnd_library_load(names[i][1])) continue;
        CHECK(gnd_save_image(names[i][0], grey) == GND_OK && rename(names[i][0], path) == 0);
        pipe_file();
        CHECK(gnd_array_equal(gnd_load_image(pipe_path), grey, false));
        end_pipe();
    }
    gnd_error_clear();
    alarm(0);
    remove(path);
}

TEST_MAIN
