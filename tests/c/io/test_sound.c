/* WAV files: what is written and read, and what is refused. */
#include "hostile.h"
#include "reads.h"
#include "values.h"

static const char path[] = "test_sound_scratch.wav";

/* A file of these bytes, loaded. */
static int rate;
static gnd_array *sound_of(const char *bytes, size_t length) {
    write_bytes(path, bytes, length);
    rate = -1;
    return gnd_load_wav(path, &rate);
}
#define SOUND(bytes) sound_of(bytes, sizeof(bytes) - 1)

/* "fmt " of PCM: one channel, 8000 a second. */
#define MONO_8 "fmt \20\0\0\0\1\0\1\0\100\37\0\0\100\37\0\0\1\0\10\0"

TEST(sounds_come_back) {
    static const gnd_dtype dtypes[] = {GND_UINT8, GND_INT16, GND_INT32, GND_INT64, GND_FLOAT32, GND_FLOAT64};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (int channels = 1; channels <= 3; channels++) {
            gnd_array *x = count_up(GND_SHAPE(7, channels), dtypes[k]);
            gnd_array *flat = channels == 1 ? gnd_slice(x, ":, 0") : x;
            int got = 0;
            CHECK(gnd_save_wav(path, x, 44100, 0) == GND_OK);
            CHECK(gnd_array_equal(gnd_load_wav(path, &got), flat, false) && got == 44100);
            CHECK(gnd_dtype_of(gnd_load_wav(path, NULL)) == dtypes[k]);
            CHECK(gnd_save_wav(path, gnd_slice(x, "::-2"), 1, 0) == GND_OK);
            CHECK(gnd_array_equal(gnd_load_wav(path, &got), gnd_slice(flat, "::-2"), false));
            CHECK(gnd_save_wav(path, gnd_slice(x, ":0"), 1, 0) == GND_OK);
            CHECK(gnd_size(gnd_load_wav(path, &got)) == 0 && got == 1);
        }
    remove(path);
}

TEST(sound_of_24_bits) {
    gnd_array *x = INTEGERS(0, 256, -256, INT32_MAX, INT32_MIN, 255, -1);
    CHECK(gnd_save_wav(path, gnd_astype(x, GND_INT32), 8000, 24) == GND_OK);
    CHECK(reads(gnd_load_wav(path, NULL), "array([          0,         256,        -256,  2147483392, -2147483648,\n"
                                          "                 0,        -256], dtype=int32)"));
    gnd_array *many = gnd_multiply(count_up(GND_SHAPE(5000, 2), GND_INT32), 256);
    CHECK(gnd_save_wav(path, many, 8000, 24) == GND_OK);
    CHECK(gnd_array_equal(gnd_load_wav(path, NULL), many, false));
    CHECK_FAILS_CLEANLY(gnd_load_wav(path, NULL));
    remove(path);
}

TEST(wav_of_other_writers) {
    CHECK(reads(SOUND("RIFF\50\0\0\0WAVE" MONO_8 "data\3\0\0\0\1\2\3"), "array([1, 2, 3], dtype=uint8)"));
    CHECK(rate == 8000);
    /* Chunks before and behind, of odd length; a length that was not known. */
    CHECK(reads(SOUND("RIFF\0\0\0\0WAVELIST\3\0\0\0abc\0" MONO_8 "odd \1\0\0\0x\0data\2\0\0\0\1\2"
                      "more\1\0\0\0z"),
                "array([1, 2], dtype=uint8)"));
    CHECK(reads(SOUND("RIFF\377\377\377\377WAVE" MONO_8 "data\377\377\377\377\7\10\11"),
                "array([7, 8, 9], dtype=uint8)"));
    /* High bytes first: two channels of 16 bits; 24 bits. */
    CHECK(reads(SOUND("RIFX\0\0\0\60WAVEfmt \0\0\0\20\0\1\0\2\0\0\254\104\0\2\261\20\0\4\0\20data\0\0\0"
                      "\10\0\1\0\2\1\0\377\377"),
                "array([[  1,   2],\n       [256,  -1]], dtype=int16)"));
    CHECK(rate == 44100);
    CHECK(reads(SOUND("RIFX\0\0\0\60WAVEfmt \0\0\0\20\0\1\0\1\0\0\254\104\0\2\261\20\0\3\0\30data\0\0\0"
                      "\3\377\0\1"),
                "array([-16776960], dtype=int32)"));
    /* 12 bits in 16, in the extensible form. */
    CHECK(reads(SOUND("RIFF\0\0\0\0WAVEfmt \50\0\0\0\376\377\1\0\100\37\0\0\200\76\0\0\2\0\14\0\26\0\14\0"
                      "\4\0\0\0\1\0\0\0\0\0\20\0\200\0\0\252\0\70\233\161data\2\0\0\0\20\0"),
                "array([16], dtype=int16)"));
    /* More than 4 GiB can be said, by a chunk of its own. */
    CHECK(reads(SOUND("RF64\377\377\377\377WAVEds64\34\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
                      "\0\0\0\0" MONO_8 "data\377\377\377\377\5\6\7"),
                "array([5, 6], dtype=uint8)"));
    remove(path);
}

TEST(sounds_are_refused) {
    CHECK_ERROR(SOUND(""), GND_ERROR_IO, "first bytes");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0AVI LIST"), GND_ERROR_IO, "is no WAV file");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVE"), GND_ERROR_IO, "chunks");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVEdata\1\0\0\0\1"), GND_ERROR_IO, "before it says what");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVE" MONO_8 "data\4\0\0\0\1"), GND_ERROR_IO,
                "claims 4 bytes of samples, but only 1");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVEfmt \2\0\0\0\1\0"), GND_ERROR_IO, "less than 16");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVElong\377\377\377\177"), GND_ERROR_IO, "middle of a chunk");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVEfmt \20\0\0\0\125\0\1\0\100\37\0\0\100\37\0\0\1\0\10\0"), GND_ERROR_IO,
                "compressed");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVEfmt \20\0\0\0\1\0\0\0\100\37\0\0\100\37\0\0\1\0\10\0"), GND_ERROR_IO,
                "0 channels");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVEfmt \20\0\0\0\1\0\1\0\100\37\0\0\100\37\0\0\1\0\20\0"), GND_ERROR_IO,
                "16 bits in frames of 1 bytes");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVEfmt \20\0\0\0\3\0\1\0\100\37\0\0\100\37\0\0\2\0\20\0"), GND_ERROR_IO,
                "16 bits in frames of 2");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVEfmt \20\0\0\0\1\0\1\0\0\0\0\0\100\37\0\0\1\0\10\0"), GND_ERROR_IO, "0 a second");
    CHECK_ERROR(SOUND("RIFF\0\0\0\0WAVEfmt \20\0\0\0\1\0\2\0\100\37\0\0\200\76\0\0\2\0\10\0data\3\0\0\0"
                      "\1\2\3"),
                GND_ERROR_IO, "no whole number of frames");
    CHECK_ERROR(SOUND("RF64\0\0\0\0WAVEds64\1\0\0\0\1"), GND_ERROR_IO, "ds64");
    gnd_array *x = count_up(GND_SHAPE(2, 3), GND_INT16);
    CHECK_ERROR(gnd_save_wav(path, gnd_astype(x, GND_UINT16), 1, 0), GND_ERROR_DTYPE, "not uint16");
    CHECK_ERROR(gnd_save_wav(path, gnd_astype(x, GND_FLOAT16), 1, 0), GND_ERROR_DTYPE, "float16");
    CHECK_ERROR(gnd_save_wav(path, x, 0, 0), GND_ERROR_INVALID, "rate is 0");
    CHECK_ERROR(gnd_save_wav(path, x, 1, 24), GND_ERROR_INVALID, "for int16 it is 0 or 16");
    CHECK_ERROR(gnd_save_wav(path, gnd_astype(x, GND_INT32), 1, 16), GND_ERROR_INVALID, "or 24");
    CHECK_ERROR(gnd_save_wav(path, gnd_reshape(x, GND_SHAPE(1, 2, 3)), 1, 0), GND_ERROR_SHAPE, "(1, 2, 3) is no sound");
    CHECK_ERROR(gnd_save_wav(path, gnd_slice(x, ":, :0"), 1, 0), GND_ERROR_SHAPE, "0 channels");
    CHECK_ERROR(gnd_save_wav(path, gnd_broadcast_to(x, GND_SHAPE(1 << 20, 1 << 10, 2, 3)), 1, 0), GND_ERROR_SHAPE,
                "is no sound");
    CHECK_ERROR(gnd_save_wav(path, gnd_broadcast_to(gnd_slice(x, "0, 0"), GND_SHAPE(INT64_C(1) << 32)), 1, 0),
                GND_ERROR_VALUE, "4 GiB");
    CHECK_ERROR(gnd_save_wav(path, gnd_broadcast_to(gnd_slice(x, "0, 0"), GND_SHAPE(1, 40000)), 1, 0), GND_ERROR_SHAPE,
                "65535 bytes");
    CHECK_ERROR(gnd_save_wav(NULL, x, 1, 0), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_save_wav(path, NULL, 1, 0), GND_ERROR_INVALID, "a");
    CHECK_ERROR(gnd_save_wav("no such folder/x.wav", x, 1, 0), GND_ERROR_IO, "no such folder");
    CHECK_ERROR(gnd_load_wav(NULL, NULL), GND_ERROR_INVALID, "path");
    CHECK_ERROR(gnd_load_wav("no such file.wav", NULL), GND_ERROR_IO, "no such file.wav");
    remove(path);
}

static gnd_array *load(const char *name) {
    return gnd_load_wav(name, NULL);
}

TEST(wav_truncated_and_changed) {
    CHECK(gnd_save_wav(path, count_up(GND_SHAPE(5, 2), GND_FLOAT32), 8000, 0) == GND_OK);
    CHECK_FAILS_CLEANLY(gnd_load_wav(path, NULL));
    check_truncations(load, path, SIZE_MAX);
    check_changes(load, path, 60);
    CHECK(gnd_save_wav(path, count_up(GND_SHAPE(9), GND_INT32), 8000, 24) == GND_OK);
    check_truncations(load, path, 44 + 27);
    check_changes(load, path, 60);
    remove(path);
}

TEST_MAIN
