/*
 * test_jit.c: what is compiled while a program runs, by the system's C++ compiler and by NVRTC (which needs
 * no GPU), and the directory it is kept in. CXX is a script here, which counts how often it compiles.
 */
#define _GNU_SOURCE
#include "jit_hooks.h"
#include "tap.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64]; /* everything the tests write is in it */

static void path_in(char *path, const char *name) {
    snprintf(path, 512, "%s/%s", folder, name);
}

static void write_text(const char *name, const char *text, mode_t mode) {
    char path[512];
    path_in(path, name);
    FILE *file = fopen(path, "w");
    if (!file) return;
    fputs(text, file);
    fclose(file);
    chmod(path, mode);
}

static int remove_all(const char *path) {
    char command[1200];
    snprintf(command, sizeof command, "chmod -R u+w '%s' 2>/dev/null; rm -rf '%s'", path, path);
    return system(command);
}

static void remove_folder(void) {
    if (*folder) remove_all(folder);
}

/* Before any test: a folder, the counting compiler, an empty cache. */
static void prepare(void) {
    if (*folder) return;
    strcpy(folder, "/tmp/gnd-test-");
    memset(folder + strlen(folder), 'X', 6); /* which mkdtemp replaces */
    if (!mkdtemp(folder)) exit(1);
    atexit(remove_folder);
    char text[1024], path[512];
    snprintf(text, sizeof text, "#!/bin/sh\ncase \"$*\" in *text.so*) echo x >> %s/count;; esac\nexec c++ \"$@\"\n",
             folder);
    write_text("compiler", text, 0700);
    path_in(path, "compiler");
    setenv("CXX", path, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    unsetenv("GND_CACHE");
    unsetenv("GND_CACHE_BYTES");
}

static void empty_cache(void) {
    char path[512];
    prepare();
    path_in(path, "gnd");
    remove_all(path);
}

/* How often the compiler has run so far. */
static int compilations(void) {
    char path[512];
    struct stat s;
    path_in(path, "count");
    return stat(path, &s) ? 0 : (int)(s.st_size / 2);
}

/* The cache's only entry, or how many there are and their bytes. */
static int entries(char *one, long *bytes) {
    char path[512];
    int count = 0;
    *bytes = 0;
    path_in(path, "gnd");
    DIR *list = opendir(path);
    for (struct dirent *d; list && (d = readdir(list));) {
        struct stat s;
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, d->d_name);
        if (*d->d_name == '.' || stat(name, &s)) continue;
        count++, *bytes += (long)s.st_size;
        if (one) strcpy(one, name);
    }
    if (list) closedir(list);
    return count;
}

static const char *const no_names[1];

/* A source of its own loading: the cache in memory does not know it. */
static gndi_jit_source source_of(const char *text) {
    return (gndi_jit_source){.text = text, .name = "three", .names = no_names, .options = no_names, .own = true};
}

static const char three[] = "extern \"C\" int three() { return 3; }\n";

/* Compiles or finds it, and calls it; -1 if there is none. */
static int call(const char *text) {
    gndi_jit_module *module;
    const gndi_jit_source source = source_of(text);
    size_t bytes;
    int (*function)(void);
    void *address = jit_host("gnd_test", &source, "three", &bytes, &module);
    memcpy(&function, &address, sizeof function);
    const int value = address ? function() : -1;
    gndi_jit_release(module);
    return value;
}

TEST(functions_and_variables_are_found) {
    prepare();
    static const char *const names[] = {"scaled<float>", "scaled<int>", "&spaced::table"};
    static const char text[] =
        "#include \"kernels/scalar/scalar_ops.h\"\n"
        "template <class T> T scaled(T x) { return gnd::functor<gnd::op_add, T>::apply(x, x); }\n"
        "namespace spaced { int table[5] = {7}; }\n"
        "extern \"C\" int first() { return spaced::table[0]; }\n";
    gndi_jit_source source = {.text = text, .name = "several", .names = names, .name_count = 3, .options = no_names};
    gndi_jit_module *module[5];
    size_t bytes = 0;
    float (*of_float)(float);
    int (*of_int)(int), (*first)(void);
    void *a = jit_host("gnd_test", &source, names[0], &bytes, &module[0]);
    void *b = jit_host("gnd_test", &source, names[1], &bytes, &module[1]);
    void *c = jit_host("gnd_test", &source, names[2], &bytes, &module[2]);
    void *d = jit_host("gnd_test", &source, "first", &bytes, &module[3]);
    CHECK(a && b && c && d && bytes == 5 * sizeof(int));
    memcpy(&of_float, &a, sizeof a), memcpy(&of_int, &b, sizeof b), memcpy(&first, &d, sizeof d);
    if (!a || !b || !c || !d) return;
    CHECK(of_float(1.25f) == 2.5f);
    CHECK(of_int(21) == 42);
    CHECK(first() == 7);
    CHECK(module[0] == module[1] && module[0] == module[3]); /* one module for one source */
    *(int *)c = 8;
    CHECK(first() == 8);
    /* Its own variables, though it is the same code. */
    const int before = compilations();
    source.own = true;
    void *e = jit_host("gnd_test", &source, names[2], &bytes, &module[4]);
    CHECK(e && e != c && *(int *)e == 7);
    CHECK(compilations() == before);
    CHECK_ERROR(jit_host("gnd_test", &source, "fourth", &bytes, &module[4]), GND_ERROR_VALUE, "\"fourth\"");
    gndi_jit_release(module[4]);
    for (int i = 0; i < 4; i++) gndi_jit_release(module[i]);
}

TEST(errors_have_the_users_lines) {
    prepare();
    const char text[] = "int before;\n#line 1 \"body\"\nint x = 3;\nint y = unheard_of;\n";
    const gndi_jit_source source = source_of(text);
    gndi_jit_module *module;
    size_t bytes;
    CHECK_ERROR(jit_host("gnd_test", &source, "x", &bytes, &module), GND_ERROR_VALUE, "body:2:");
    CHECK(strstr(gndi_jit_log(), "unheard_of"));
    CHECK_ERROR(jit_host("gnd_test", &source, "x", &bytes, &module), GND_ERROR_VALUE,
                "unheard_of"); /* a failure is not kept */
    CHECK(module == NULL);
}

TEST(a_missing_compiler_is_named) {
    prepare();
    char *own = strdup(getenv("CXX"));
    setenv("CXX", "/nowhere/c++", 1);
    gndi_jit_module *module;
    const gndi_jit_source source = source_of("int missing;");
    size_t bytes;
    CHECK_ERROR(jit_host("gnd_test", &source, "three", &bytes, &module), GND_ERROR_UNAVAILABLE, "/nowhere/c++");
    CHECK_ERROR(jit_host("gnd_test", &source, "three", &bytes, &module), GND_ERROR_UNAVAILABLE, "package g++");
    setenv("CXX", own, 1);
    free(own);
    CHECK(call(three) == 3);
}

/* ---- folders to compile in ------------------------------------------------------------------ */

static int count_entries(const char *path) {
    int count = 0;
    DIR *list = opendir(path);
    for (struct dirent *d; list && (d = readdir(list));) count += *d->d_name != '.';
    if (list) closedir(list);
    return count;
}

TEST(a_missing_folder_is_named) {
    prepare();
    char *own = strdup(getenv("CXX")), missing[512], expected[600];
    path_in(missing, "missing");
    snprintf(expected, sizeof expected, "TMPDIR, %s: No such file or directory", missing);
    gndi_jit_module *module;
    const gndi_jit_source source = source_of("int without_a_folder;");
    size_t bytes;
    setenv("TMPDIR", missing, 1);
    CHECK_ERROR(jit_host("gnd_test", &source, "three", &bytes, &module), GND_ERROR_IO, expected);
    setenv("CXX", "c++", 1); /* which is not known yet */
    CHECK_ERROR(jit_host("gnd_test", &source, "three", &bytes, &module), GND_ERROR_IO, expected);
    CHECK(mkdir(missing, 0700) == 0 && call(three) == 3 && count_entries(missing) == 0);
    unsetenv("TMPDIR");
    setenv("CXX", own, 1);
    free(own), rmdir(missing);
}

static bool is_alive(const char *pid_file) {
    char path[512], text[32] = "";
    path_in(path, pid_file);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) text[0] = 0;
    if (file) fclose(file);
    snprintf(path, sizeof path, "/proc/%d/stat", atoi(text));
    char state = 'X';
    file = *text ? fopen(path, "r") : NULL;
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'X';
    if (file) fclose(file);
    return state != 'X' && state != 'Z';
}

/* A compiler of several processes, which takes its time. */
TEST(a_killed_process_leaves_no_compiler) {
    empty_cache();
    char *own = strdup(getenv("CXX")), path[512], text[1024];
    snprintf(text, sizeof text,
             "#!/bin/sh\ncase \"$*\" in *text.so*) sleep 60 & echo $! > %s/part; echo x > "
             "\"$TMPDIR/object.o\"; echo $$ > %s/driver; wait;; *) echo slow;; esac\n",
             folder, folder);
    write_text("slow", text, 0700);
    path_in(path, "temporary");
    CHECK(mkdir(path, 0700) == 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("TMPDIR", path, 1);
        path_in(text, "slow");
        setenv("CXX", text, 1);
        call("extern \"C\" int three() { return 303; }\n");
        _exit(0);
    }
    for (int i = 0; i < 3000 && !is_alive("driver"); i++) usleep(10000);
    CHECK(is_alive("driver") && is_alive("part") && count_entries(path) == 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (int i = 0; i < 1000 && (is_alive("driver") || is_alive("part") || count_entries(path)); i++) usleep(10000);
    CHECK(!is_alive("driver") && !is_alive("part") && count_entries(path) == 0);
    free(own);
    rmdir(path);
}

TEST(forgotten_folders_are_removed) {
    prepare();
    char path[512], old[600], used[600], young[600], file[700];
    path_in(path, "folders");
    fflush(stdout);
    const pid_t gone = fork(); /* a number that no process has any more */
    if (gone == 0) _exit(0);
    waitpid(gone, NULL, 0);
    snprintf(old, sizeof old, "%s/gnd-%ld-abcdef", path, (long)gone);
    snprintf(young, sizeof young, "%s/gnd-%ld-ghijkl", path, (long)gone);
    snprintf(used, sizeof used, "%s/gnd-%ld-mnopqr", path, (long)getpid());
    snprintf(file, sizeof file, "%s/text.cpp", old);
    CHECK(mkdir(path, 0700) == 0 && mkdir(old, 0700) == 0 && mkdir(young, 0700) == 0 && mkdir(used, 0700) == 0);
    FILE *text = fopen(file, "w");
    if (text) fclose(text);
    const struct timespec long_ago[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    CHECK(utimensat(AT_FDCWD, old, long_ago, 0) == 0 && utimensat(AT_FDCWD, used, long_ago, 0) == 0);
    const pid_t child = fork(); /* it looks at its first compilation: in a program of its own */
    if (child == 0) {
        setenv("TMPDIR", path, 1), setenv("GND_CACHE", "off", 1);
        if (!freopen("/dev/null", "w", stdout)) _exit(1); /* it speaks TAP, too */
        execl("/proc/self/exe", "test_jit", "what_else_is_called", NULL);
        _exit(1);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(access(old, F_OK) != 0 && access(young, F_OK) == 0 && access(used, F_OK) == 0);
    rmdir(young), rmdir(used), rmdir(path);
}

TEST(what_else_is_called) {
    prepare();
    CHECK(call(three) == 3);
}

TEST(in_the_background) {
    prepare();
    gndi_jit_module *module;
    gndi_jit_source source = source_of("extern \"C\" int four() { return 4; }\n");
    int (*function)(void);
    void *address = jit_background(&source, "four", &module);
    memcpy(&function, &address, sizeof function);
    CHECK(address && function() == 4);
    gndi_jit_release(module);
    source.text = "this is no C++";
    CHECK(!jit_background(&source, "four", &module) && !module && !gnd_error());
}

/* A job has its own names and options, each where it was. */
TEST(options_in_the_background) {
    prepare();
    gndi_jit_module *module;
    gndi_jit_source source = source_of("extern \"C\" int sum() { return FIRST + SECOND; }\n");
    const char *const names[] = {"sum", "sum"}, *const options[] = {"-DFIRST=40", "-DSECOND=2"};
    source.names = names, source.name_count = 2, source.options = options, source.option_count = 2;
    int (*function)(void);
    void *address = jit_background(&source, "sum", &module);
    memcpy(&function, &address, sizeof function);
    CHECK(address && function() == 42);
    gndi_jit_release(module);
}

/* After the thread has ended with its process nothing is taken that nobody would compile. */
static void ask_at_the_end(void) {
    gndi_jit_module *module;
    const gndi_jit_source source = source_of("extern \"C\" int late() { return 1; }\n");
    _exit(jit_background(&source, "late", &module) == NULL ? 7 : 8);
}

TEST(nothing_in_the_background_after_the_end) {
    prepare();
    const pid_t child = fork();
    if (child == 0) {
        gndi_jit_module *module;
        const gndi_jit_source source = source_of("extern \"C\" int four() { return 4; }\n");
        alarm(60);
        atexit(ask_at_the_end); /* the library's own handler is of later, and runs before */
        exit(jit_background(&source, "four", &module) ? 0 : 1);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST(what_is_kept_is_found_again) {
    empty_cache();
    const int before = compilations();
    long bytes;
    CHECK(call(three) == 3 && compilations() == before + 1);
    CHECK(entries(NULL, &bytes) == 1);
    CHECK(call(three) == 3 && compilations() == before + 1);
    CHECK(call("extern \"C\" int three() { return 33; }\n") == 33 && compilations() == before + 2);
    setenv("GND_CACHE", "off", 1);
    CHECK(call(three) == 3 && compilations() == before + 3);
    unsetenv("GND_CACHE");
    CHECK(call(three) == 3 && compilations() == before + 3);
    CHECK(entries(NULL, &bytes) == 2);
}

/* What the key does not know may change from one process to the next. */
TEST(what_includes_others_is_not_kept) {
    empty_cache();
    long bytes;
    char text[1024];
    snprintf(text, sizeof text,
             "#include <math.h>\n#include \"kernels/scalar/scalar_ops.h\"\n#\tinclude \"%s/mine.h\"\n%s", folder,
             three);
    write_text("mine.h", "#define return return 2 +\n", 0600);
    CHECK(call(text) == 5 && entries(NULL, &bytes) == 0);
    write_text("mine.h", "\n", 0600);
    CHECK(call(text) == 3 && entries(NULL, &bytes) == 0);
    CHECK(call("#include <math.h>\n#include \"kernels/scalar/scalar_ops.h\"\nextern \"C\" int three() { "
               "return 3; }") == 3);
    CHECK(entries(NULL, &bytes) == 1);
}

/* Nor do the files that options bring in. */
TEST(what_options_bring_in_is_not_kept) {
    static const char *const bringing[][2] = {
        {"-I/tmp", ""}, {"-L/tmp", ""}, {"-includemath.h", ""}, {"-include", "math.h"}};
    long bytes;
    for (size_t i = 0; i < sizeof bringing / sizeof *bringing; i++) {
        empty_cache();
        gndi_jit_source source = source_of(three);
        gndi_jit_module *module;
        size_t size;
        source.options = bringing[i], source.option_count = bringing[i][1][0] ? 2 : 1;
        CHECK(jit_host("gnd_test", &source, "three", &size, &module));
        gndi_jit_release(module);
        CHECK(entries(NULL, &bytes) == 0);
    }
}

/* Writes over a byte of a file, or cuts it off there; from the end if negative. */
static void damage(const char *path, long at, bool cut) {
    FILE *file = fopen(path, "r+");
    if (!file) return;
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    const long place = ftell(file);
    const int byte = fgetc(file);
    fseek(file, place, SEEK_SET);
    fputc(byte ^ 0x41, file);
    fclose(file);
    if (cut && truncate(path, place)) exit(1);
}

TEST(what_is_damaged_is_replaced) {
    empty_cache();
    char path[1024];
    long bytes;
    CHECK(call(three) == 3 && entries(path, &bytes) == 1);
    static const long places[] = {0, 9, 17, 25, 45, 500, 5000, -1};
    for (size_t i = 0; i < 2 * sizeof places / sizeof *places; i++) {
        damage(path, places[i / 2], i % 2 != 0);
        const int before = compilations();
        CHECK(call(three) == 3 && compilations() == before + 1);
        CHECK(call(three) == 3 && compilations() == before + 1);
    }
    /* An entry of another key, under this one's name. */
    char other[1024], command[2100];
    empty_cache();
    CHECK(call("extern \"C\" int three() { return 30; }\n") == 30 && entries(other, &bytes) == 1);
    snprintf(command, sizeof command, "mv '%s' '%s'", other, path);
    CHECK(system(command) == 0);
    CHECK(call(three) == 3);
    /* And something that is no file. */
    snprintf(command, sizeof command, "rm '%s'; mkdir '%s'", path, path);
    CHECK(system(command) == 0);
    CHECK(call(three) == 3);
    CHECK(!gnd_error());
}

TEST(directories_that_cannot_be_used) {
    empty_cache();
    char path[512];
    long bytes;
    path_in(path, "gnd");
    CHECK(call(three) == 3);
    chmod(path, 0500);
    CHECK(call(three) == 3);
    CHECK(call("extern \"C\" int three() { return 31; }\n") == 31);
    if (geteuid() != 0) CHECK(entries(NULL, &bytes) == 1);
    chmod(path, 0000);
    CHECK(call(three) == 3);
    static const mode_t open_to_others[] = {0777, 0770, 0720, 0702}; /* who could have written it */
    for (int i = 0; i < 4; i++) {
        chmod(path, open_to_others[i]);
        const int now = compilations();
        CHECK(call(three) == 3 && compilations() == now + 1);
    }
    const int before = compilations() - 1;
    char entry[1024];
    chmod(path, 0700);
    CHECK(call(three) == 3 && compilations() == before + 1 && entries(entry, &bytes) > 0);
    for (int i = 0; i < 4; i++) { /* and an entry of others, or open to them */
        empty_cache();
        CHECK(call(three) == 3 && entries(entry, &bytes) == 1);
        const int now = compilations();
        CHECK(call(three) == 3 && compilations() == now);
        CHECK(i < 3 ? chmod(entry, open_to_others[i + 1] & 0666) == 0
                    : geteuid() != 0 || chown(entry, 65534, (gid_t)-1) == 0);
        CHECK(call(three) == 3 && compilations() == now + (i < 3 || geteuid() == 0));
    }
    const int others = compilations() - (before + 1);
    if (geteuid() == 0) { /* another user's */
        chmod(path, 0700);
        CHECK(call(three) == 3 && compilations() == before + others + 1);
        CHECK(chown(path, 65534, (gid_t)-1) == 0);
        CHECK(call(three) == 3 && compilations() == before + others + 2);
    }
    empty_cache();
    write_text("gnd", "a file where the directory should be", 0600);
    CHECK(call(three) == 3);
    remove(path);
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    CHECK(call(three) == 3);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    CHECK(call(three) == 3);
    path_in(path, ".cache/gnd");
    CHECK(access(path, R_OK | W_OK | X_OK) == 0);
    setenv("XDG_CACHE_HOME", folder, 1);
    CHECK(!gnd_error());
}

TEST(the_directory_stays_within_its_bound) {
    empty_cache();
    char text[128], bound[32];
    long bytes, one;
    CHECK(call(three) == 3 && entries(NULL, &one) == 1);
    snprintf(bound, sizeof bound, "%ld", 3 * one + one / 2);
    setenv("GND_CACHE_BYTES", bound, 1);
    for (int i = 10; i < 15; i++) {
        snprintf(text, sizeof text, "extern \"C\" int three() { return %d; }\n", i);
        CHECK(call(text) == i);
        CHECK(call(three) == 3); /* used, so that it stays */
        CHECK(entries(NULL, &bytes) <= 3 && bytes <= 3 * one + one / 2);
    }
    const int before = compilations();
    CHECK(call(three) == 3 && call(text) == 14 && compilations() == before);
    CHECK(call("extern \"C\" int three() { return 10; }\n") == 10 && compilations() == before + 1);
    setenv("GND_CACHE_BYTES", "0", 1);
    CHECK(call("extern \"C\" int three() { return 20; }\n") == 20);
    unsetenv("GND_CACHE_BYTES");
}

/* Whether the cache still has a file that was there before a compilation, last written long ago or just now. */
static bool outlives(const char *name, bool is_old) {
    static int value = 100;
    char file[64], full[512], text[128];
    snprintf(file, sizeof file, "gnd/%s", name);
    write_text(file, "x", 0600);
    path_in(full, file);
    const struct timespec long_ago[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    CHECK(!is_old || utimensat(AT_FDCWD, full, long_ago, 0) == 0);
    snprintf(text, sizeof text, "extern \"C\" int three() { return %d; }\n", ++value);
    CHECK(call(text) == value);
    return unlink(full) == 0;
}

TEST(what_a_dead_process_was_writing_is_removed) {
    empty_cache();
    CHECK(call(three) == 3);
    CHECK(!outlives("abc.tmp", true) && outlives("abc.tmp", false));
    CHECK(outlives("notes.txt", true)); /* somebody else's */
}

TEST(sixteen_processes_share_it) {
    empty_cache();
    pid_t child[16];
    fflush(stdout);
    for (int i = 0; i < 16; i++) {
        child[i] = fork();
        if (child[i] != 0) continue;
        bool right = true;
        char text[128];
        for (int k = 0; k < 4; k++) {
            snprintf(text, sizeof text, "extern \"C\" int three() { return %d; }\n", (i + k) % 4);
            right = right && call(text) == (i + k) % 4;
        }
        _exit(right ? 0 : 1);
    }
    int failed = 0;
    for (int i = 0; i < 16; i++) {
        int status = 1;
        failed += child[i] < 0 || waitpid(child[i], &status, 0) < 0 || status != 0;
    }
    CHECK(failed == 0);
    long bytes;
    CHECK(entries(NULL, &bytes) == 4); /* and nothing half-written */
    const int before = compilations();
    CHECK(call("extern \"C\" int three() { return 2; }\n") == 2 && compilations() == before);
}

/* In a process of its own: a library is looked for once. */
TEST(a_missing_nvrtc_is_named) {
    prepare();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("GND_WITHOUT", "NVRTC", 1);
        const gndi_jit_source source = source_of("int a;");
        const bool refused = gndi_jit_nvrtc_size("gnd_test", 90, &source) == 0 && gnd_error() &&
                             gnd_error()->code == GND_ERROR_UNAVAILABLE && strstr(gnd_error()->message, "cuda-nvrtc");
        _exit(refused ? 0 : 1);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

TEST(nvrtc_compiles) {
    prepare();
    if (gnd_library_load("NVRTC")) {
        gnd_error_clear();
        SKIP("there is no NVRTC (libnvrtc of the CUDA toolkit) on this machine");
    }
    static const char text[] = "#include \"kernels/scalar/scalar_ops.h\"\n#include \"reduce/reduce_ops.h\"\n"
                               "#include \"random/random_engines.h\"\n#include <stdint.h>\n#include <stdbool.h>\n"
                               "__constant__ float factor;\n"
                               "template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= (T)factor; }\n";
    static const char *const names[] = {"scale<double>", "&factor"};
    gndi_jit_source source = {.text = text, .name = "scale", .names = names, .name_count = 2, .options = no_names};
    CHECK(gndi_jit_nvrtc_size("gnd_test", 90, &source) > 1000);
    CHECK(gndi_jit_nvrtc_size("gnd_test", 90, &source) > 1000); /* from the cache */
    CHECK(gndi_jit_nvrtc_size("gnd_test", 75, &source) > 1000);
    CHECK(gndi_jit_nvrtc_size("gnd_test", 999, &source) > 1000); /* a GPU to come: as PTX */
    CHECK_ERROR(gndi_jit_nvrtc_size("gnd_test", 20, &source), GND_ERROR_UNAVAILABLE, "2.0");
    source.text = "#line 1 \"body\"\nint a;\nfloat b = unheard_of;\n";
    source.name_count = 0;
    CHECK_ERROR(gndi_jit_nvrtc_size("gnd_test", 90, &source), GND_ERROR_VALUE, "body(2)");
    CHECK(strstr(gndi_jit_log(), "unheard_of"));
    static const char *const options[] = {"-DN=4", "--no-such-option"};
    source.text = "int a[N];", source.options = options, source.option_count = 1;
    CHECK(gndi_jit_nvrtc_size("gnd_test", 90, &source) > 0);
    source.option_count = 2;
    CHECK_ERROR(gndi_jit_nvrtc_size("gnd_test", 90, &source), GND_ERROR_VALUE, "no-such-option");
}

TEST_MAIN
