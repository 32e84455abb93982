/*
 * library_tables_files.h: the functions of the libraries that files need, libzip, libpng, TurboJPEG,
 * libtiff and cJSON, as library_tables.h has those of the others.
 */
#ifndef GNDI_LIBRARY_TABLES_FILES_H
#define GNDI_LIBRARY_TABLES_FILES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* libzip: archives, their entries, sources and errors are void *; sizes and flags as it has them. The
   callback of a source gets a command (npz.c has the numbers). */
#define GNDI_LIBZIP_TABLE(FUNCTION)                                                                                    \
    FUNCTION(const char *, zip_libzip_version, (void))                                                                 \
    FUNCTION(void *, zip_open, (const char *path, int flags, int *code))                                               \
    FUNCTION(void *, zip_open_from_source, (void *source, int flags, void *error))                                     \
    FUNCTION(int, zip_close, (void *zip))                                                                              \
    FUNCTION(void, zip_discard, (void *zip))                                                                           \
    FUNCTION(const char *, zip_strerror, (void *zip))                                                                  \
    FUNCTION(void, zip_error_init_with_code, (void *error, int code))                                                  \
    FUNCTION(const char *, zip_error_strerror, (void *error))                                                          \
    FUNCTION(void, zip_error_fini, (void *error))                                                                      \
    FUNCTION(int64_t, zip_get_num_entries, (void *zip, uint32_t flags))                                                \
    FUNCTION(int, zip_stat_index, (void *zip, uint64_t index, uint32_t flags, void *stat))                             \
    FUNCTION(void *, zip_fopen_index, (void *zip, uint64_t index, uint32_t flags))                                     \
    FUNCTION(int64_t, zip_fread, (void *entry, void *to, uint64_t bytes))                                              \
    FUNCTION(const char *, zip_file_strerror, (void *entry))                                                           \
    FUNCTION(int, zip_fclose, (void *entry))                                                                           \
    FUNCTION(void *, zip_source_function,                                                                              \
             (void *zip, int64_t (*callback)(void *context, void *data, uint64_t bytes, int command), void *context))  \
    FUNCTION(void *, zip_source_function_create,                                                                       \
             (int64_t(*callback)(void *context, void *data, uint64_t bytes, int command), void *context, void *error)) \
    FUNCTION(void, zip_source_free, (void *source))                                                                    \
    FUNCTION(int64_t, zip_file_add, (void *zip, const char *name, void *source, uint32_t flags))                       \
    FUNCTION(int, zip_file_set_dostime, (void *zip, uint64_t index, uint16_t time, uint16_t date, uint32_t flags))     \
    FUNCTION(int, zip_set_file_compression, (void *zip, uint64_t index, int32_t method, uint32_t level))

/* libpng, with its classic interface: structs are void *, sizes 32 bits. */
#define GNDI_LIBPNG_TABLE(FUNCTION)                                                                                    \
    FUNCTION(const char *, png_get_libpng_ver, (const void *png))                                                      \
    FUNCTION(void *, png_create_read_struct,                                                                           \
             (const char *version, void *context, void (*error)(void *png, const char *text),                          \
              void (*warning)(void *png, const char *text)))                                                           \
    FUNCTION(void *, png_create_write_struct,                                                                          \
             (const char *version, void *context, void (*error)(void *png, const char *text),                          \
              void (*warning)(void *png, const char *text)))                                                           \
    FUNCTION(void *, png_create_info_struct, (void *png))                                                              \
    FUNCTION(void, png_destroy_read_struct, (void **png, void **info, void **end))                                     \
    FUNCTION(void, png_destroy_write_struct, (void **png, void **info))                                                \
    FUNCTION(void *, png_get_error_ptr, (const void *png))                                                             \
    FUNCTION(void *, png_get_io_ptr, (const void *png))                                                                \
    FUNCTION(void, png_set_read_fn, (void *png, void *context, void (*read)(void *png, uint8_t *to, size_t bytes)))    \
    FUNCTION(                                                                                                          \
        void, png_set_write_fn,                                                                                        \
        (void *png, void *context, void (*write)(void *png, uint8_t *from, size_t bytes), void (*flush)(void *png)))   \
    FUNCTION(void, png_set_sig_bytes, (void *png, int count))                                                          \
    FUNCTION(void, png_set_user_limits, (void *png, uint32_t width, uint32_t height))                                  \
    FUNCTION(void, png_read_info, (void *png, void *info))                                                             \
    FUNCTION(uint32_t, png_get_image_width, (const void *png, const void *info))                                       \
    FUNCTION(uint32_t, png_get_image_height, (const void *png, const void *info))                                      \
    FUNCTION(uint8_t, png_get_bit_depth, (const void *png, const void *info))                                          \
    FUNCTION(uint8_t, png_get_channels, (const void *png, const void *info))                                           \
    FUNCTION(size_t, png_get_rowbytes, (const void *png, const void *info))                                            \
    FUNCTION(void, png_set_expand, (void *png))                                                                        \
    FUNCTION(void, png_set_swap, (void *png))                                                                          \
    FUNCTION(int, png_set_interlace_handling, (void *png))                                                             \
    FUNCTION(void, png_read_update_info, (void *png, void *info))                                                      \
    FUNCTION(void, png_read_row, (void *png, uint8_t *row, uint8_t *display))                                          \
    FUNCTION(void, png_read_end, (void *png, void *info))                                                              \
    FUNCTION(void, png_set_IHDR,                                                                                       \
             (void *png, void *info, uint32_t width, uint32_t height, int bits, int color, int interlace,              \
              int compression, int filter))                                                                            \
    FUNCTION(void, png_write_info, (void *png, void *info))                                                            \
    FUNCTION(void, png_write_row, (void *png, const uint8_t *row))                                                     \
    FUNCTION(void, png_write_end, (void *png, void *info))

/* TurboJPEG, libjpeg-turbo's interface whose structs are handles. */
#define GNDI_TURBOJPEG_TABLE(FUNCTION)                                                                                 \
    FUNCTION(void *, tjInitDecompress, (void))                                                                         \
    FUNCTION(void *, tjInitCompress, (void))                                                                           \
    FUNCTION(int, tjDestroy, (void *handle))                                                                           \
    FUNCTION(char *, tjGetErrorStr2, (void *handle))                                                                   \
    FUNCTION(int, tjDecompressHeader3,                                                                                 \
             (void *handle, const uint8_t *from, unsigned long bytes, int *width, int *height, int *subsampling,       \
              int *colors))                                                                                            \
    FUNCTION(int, tjDecompress2,                                                                                       \
             (void *handle, const uint8_t *from, unsigned long bytes, uint8_t *to, int width, int pitch, int height,   \
              int format, int flags))                                                                                  \
    FUNCTION(int, tjCompress2,                                                                                         \
             (void *handle, const uint8_t *from, int width, int pitch, int height, int format, uint8_t **to,           \
              unsigned long *bytes, int subsampling, int quality, int flags))                                          \
    FUNCTION(void, tjFree, (uint8_t * bytes))                                                                          \
    FUNCTION(void *, tj3Init, (int type)) /* since 3 */

/* libtiff since 4.5, whose errors go to handlers of a file's own: tmsize_t is ptrdiff_t, toff_t uint64_t. */
typedef int gndi_tiff_handler(void *tiff, void *context, const char *module, const char *format, va_list values);
#define GNDI_LIBTIFF_TABLE(FUNCTION)                                                                                   \
    FUNCTION(const char *, TIFFGetVersion, (void))                                                                     \
    FUNCTION(void *, TIFFOpenOptionsAlloc, (void))                                                                     \
    FUNCTION(void, TIFFOpenOptionsFree, (void *options))                                                               \
    FUNCTION(void, TIFFOpenOptionsSetMaxSingleMemAlloc, (void *options, ptrdiff_t most))                               \
    FUNCTION(void, TIFFOpenOptionsSetErrorHandlerExtR, (void *options, gndi_tiff_handler *handler, void *context))     \
    FUNCTION(void, TIFFOpenOptionsSetWarningHandlerExtR, (void *options, gndi_tiff_handler *handler, void *context))   \
    FUNCTION(void *, TIFFClientOpenExt,                                                                                \
             (const char *name, const char *mode, void *context,                                                       \
              ptrdiff_t (*read)(void *context, void *to, ptrdiff_t bytes),                                             \
              ptrdiff_t (*write)(void *context, void *from, ptrdiff_t bytes),                                          \
              uint64_t (*seek)(void *context, uint64_t offset, int whence), int (*close)(void *context),               \
              uint64_t (*size)(void *context), int (*map)(void *context, void **base, uint64_t *size),                 \
              void (*unmap)(void *context, void *base, uint64_t size), void *options))                                 \
    FUNCTION(void, TIFFClose, (void *tiff))                                                                            \
    FUNCTION(uint32_t, TIFFNumberOfDirectories, (void *tiff))                                                          \
    FUNCTION(int, TIFFSetDirectory, (void *tiff, uint32_t number))                                                     \
    FUNCTION(int, TIFFWriteDirectory, (void *tiff))                                                                    \
    FUNCTION(int, TIFFGetField, (void *tiff, uint32_t tag, ...))                                                       \
    FUNCTION(int, TIFFGetFieldDefaulted, (void *tiff, uint32_t tag, ...))                                              \
    FUNCTION(int, TIFFSetField, (void *tiff, uint32_t tag, ...))                                                       \
    FUNCTION(int, TIFFIsTiled, (void *tiff))                                                                           \
    FUNCTION(ptrdiff_t, TIFFStripSize, (void *tiff))                                                                   \
    FUNCTION(ptrdiff_t, TIFFTileSize, (void *tiff))                                                                    \
    FUNCTION(uint32_t, TIFFComputeStrip, (void *tiff, uint32_t row, uint16_t plane))                                   \
    FUNCTION(uint32_t, TIFFComputeTile, (void *tiff, uint32_t x, uint32_t y, uint32_t z, uint16_t plane))              \
    FUNCTION(ptrdiff_t, TIFFReadEncodedStrip, (void *tiff, uint32_t strip, void *to, ptrdiff_t bytes))                 \
    FUNCTION(ptrdiff_t, TIFFReadEncodedTile, (void *tiff, uint32_t tile, void *to, ptrdiff_t bytes))                   \
    FUNCTION(ptrdiff_t, TIFFWriteEncodedStrip, (void *tiff, uint32_t strip, void *from, ptrdiff_t bytes))

/* cJSON: items are gndi_json, of which only the first members are known here: they are the same in all its versions.
   Strings belong to their item. */
typedef struct gndi_json {
    struct gndi_json *next, *previous, *child;
} gndi_json;
#define GNDI_CJSON_TABLE(FUNCTION)                                                                                     \
    FUNCTION(const char *, cJSON_Version, (void))                                                                      \
    FUNCTION(gndi_json *, cJSON_ParseWithLengthOpts,                                                                   \
             (const char *text, size_t bytes, const char **end, int needs_zero))                                       \
    FUNCTION(void, cJSON_Delete, (gndi_json * item))                                                                   \
    FUNCTION(gndi_json *, cJSON_GetObjectItemCaseSensitive, (const gndi_json *object, const char *name))               \
    FUNCTION(int, cJSON_IsObject, (const gndi_json *item))                                                             \
    FUNCTION(int, cJSON_IsArray, (const gndi_json *item))                                                              \
    FUNCTION(int, cJSON_IsNumber, (const gndi_json *item))                                                             \
    FUNCTION(int, cJSON_IsTrue, (const gndi_json *item))                                                               \
    FUNCTION(double, cJSON_GetNumberValue, (const gndi_json *item))                                                    \
    FUNCTION(char *, cJSON_GetStringValue, (const gndi_json *item))                                                    \
    FUNCTION(gndi_json *, cJSON_CreateObject, (void))                                                                  \
    FUNCTION(gndi_json *, cJSON_CreateArray, (void))                                                                   \
    FUNCTION(gndi_json *, cJSON_CreateNumber, (double number))                                                         \
    FUNCTION(gndi_json *, cJSON_CreateString, (const char *text))                                                      \
    FUNCTION(int, cJSON_AddItemToArray, (gndi_json * array, gndi_json * item))                                         \
    FUNCTION(int, cJSON_AddItemToObject, (gndi_json * object, const char *name, gndi_json *item))                      \
    FUNCTION(void, cJSON_DeleteItemFromObjectCaseSensitive, (gndi_json * object, const char *name))                    \
    FUNCTION(char *, cJSON_Print, (const gndi_json *item))                                                             \
    FUNCTION(void, cJSON_free, (void *text))

#endif
