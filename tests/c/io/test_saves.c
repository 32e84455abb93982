/*
 * test_saves.c: files are replaced whole or not at all: what is left if there is no memory on the disk, no new
 * file, no right, a long name, or the process is killed. openat and what follows it are this program's
 * here, so that they can fail and be noted.
 */
#define _GNU_SOURCE
#include "tap.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* GPUs are not for forked children. */
__attribute__((constructor)) static void choose_device(void) {
    setenv("GND_DEVICE", "cpu", 1);
}

/* ---- the system's functions, as the library calls them --------------------------------------- */

static bool no_nameless; /* O_TMPFILE is refused, as some file systems do; */
static bool no_new;      /* and all new files, as where there is no inode left */
static char steps[32];   /* what was done: S synced, L linked, R renamed */

static int noted(char step, int result) {
    const size_t length = strlen(steps);
    if (result == 0 && length + 1 < sizeof steps) steps[length] = step, steps[length + 1] = 0;
    return result;
}

int openat64(int folder, const char *name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    const mode_t mode = nameless || flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (no_nameless && nameless) return errno = EOPNOTSUPP, -1;
    if (no_new && (nameless || flags & O_CREAT)) return errno = ENOSPC, -1;
    return (int)syscall(SYS_openat, folder, name, flags | O_LARGEFILE, mode);
}
int fsync(int file) {
    return noted('S', (int)syscall(SYS_fsync, file));
}
int linkat(int from, const char *name, int to, const char *other, int flags) {
    return noted('L', (int)syscall(SYS_linkat, from, name, to, other, flags));
}
int renameat(int from, const char *name, int to, const char *other) {
    return noted('R', (int)syscall(SYS_renameat2, from, name, to, other, 0));
}

/* ---- a folder ------------------------------------------------------------------------------- */

static char folder[64], path[512];

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (*folder && system(command)) perror(folder);
}

static void begin(const char *name) {
    if (!*folder) {
        strcpy(folder, "/tmp/gnd-test-");
        memset(folder + strlen(folder), 'X', 6);
        if (!mkdtemp(folder)) exit(1);
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    no_nameless = no_new = false, steps[0] = 0;
}

static int entries(const char *of) {
    DIR *list = opendir(of);
    int count = 0;
    for (struct dirent *d; list && (d = readdir(list));)
        count += strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
    if (list) closedir(list);
    return count;
}

static gnd_status save(const char *to, int64_t n) {
    gnd_array *a = gnd_arange(0, n, 1, GND_INT64);
    const gnd_status status = gnd_save(to, a);
    gnd_release(a);
    return status;
}

static bool holds(const char *from, int64_t n) {
    gnd_array *a = gnd_load(from), *b = gnd_arange(0, n, 1, GND_INT64);
    const bool same = a && gnd_array_equal(a, b, false);
    gnd_release(a), gnd_release(b);
    return same;
}

/* In a process of its own, whose exit status is what the function gives; 77: it could not be. */
static int apart(int (*function)(void)) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        const int status = function();
        if (status && gnd_error()) printf("# %s\n", gnd_error()->message);
        fflush(stdout);
        _exit(status);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- tests ---------------------------------------------------------------------------------- */

TEST(the_disk_has_it_before_the_name) {
    for (int named = 0; named < 2; named++) {
        begin("synced.npy");
        no_nameless = named;
        CHECK(save(path, 10) == GND_OK && holds(path, 10));
        CHECK(strcmp(steps, named ? "SRS" : "SLS") == 0);
        steps[0] = 0;
        CHECK(save(path, 20) == GND_OK && holds(path, 20));
        CHECK(strcmp(steps, named ? "SRS" : "SLRS") == 0);
        remove(path);
        CHECK(entries(folder) == 0);
    }
}

TEST(without_a_new_file_the_old_one_stays) {
    gnd_array *x = gnd_zeros(GND_SHAPE(5, 4), GND_UINT8);
    for (int format = 0; format < 6; format++) {
        static const char *const names[] = {"a.npy", "a.txt", "a.pgm", "a.wav", "a.bin", "a.npz"};
        begin(names[format]);
        if (format == 5 && gnd_library_load("libzip")) {
            gnd_error_clear();
            continue;
        }
        CHECK(save(path, 100) == GND_OK);
        no_new = true;
        gnd_status status = GND_OK;
        switch (format) {
        case 0: status = gnd_save(path, x); break;
        case 1: status = gnd_savetxt(path, x, NULL); break;
        case 2: status = gnd_save_image(path, x); break;
        case 3: status = gnd_save_wav(path, x, 8000, 0); break;
        case 4: status = gnd_tofile(path, x); break;
        case 5: status = gnd_savez(path, GND_NAMED({"x", x})); break;
        }
        CHECK_ERROR(status, GND_ERROR_IO, "No space left on device; its folder takes no new file");
        CHECK(holds(path, 100));
        remove(path);
        CHECK_ERROR(save(path, 3), GND_ERROR_IO, "No space left on device");
        CHECK(access(path, F_OK) != 0 && entries(folder) == 0);
        no_new = false;
    }
}

TEST(names_of_any_length) {
    for (int length = 240; length <= 255; length += length < 250 ? 10 : 1) {
        char name[256] = {0};
        memset(name, 'n', (size_t)length);
        begin(name);
        for (int named = 0; named < 2; named++) {
            no_nameless = named;
            CHECK(save(path, 10) == GND_OK && save(path, 20) == GND_OK && holds(path, 20));
            CHECK(entries(folder) == 1);
            remove(path);
        }
    }
    char name[300] = {0};
    memset(name, 'n', 256);
    begin(name);
    CHECK_ERROR(save(path, 10), GND_ERROR_IO, "File name too long");
    CHECK(entries(folder) == 0);
}

TEST(a_killed_save_leaves_a_whole_file) {
    enum { SMALL = 1000000, LARGE = 1500000 };
    for (int named = 0; named < 2; named++) {
        begin("killed.npy");
        no_nameless = named;
        CHECK(save(path, SMALL) == GND_OK);
        for (int i = 0; i < 20; i++) {
            fflush(stdout);
            const pid_t child = fork();
            if (child == 0)
                for (int64_t n = 0;; n++) save(path, n % 2 ? SMALL : LARGE);
            nanosleep(&(struct timespec){.tv_nsec = 3000000L + i * 2700000L}, NULL);
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            CHECK(holds(path, SMALL) || holds(path, LARGE));
        }
        gnd_error_clear();
        /* At most what was being written is left, and the next save removes that. */
        CHECK(entries(folder) <= 1 + named);
        CHECK(save(path, 5) == GND_OK && holds(path, 5));
        CHECK(entries(folder) == 1);
        remove(path);
    }
}

TEST(a_temporary_that_is_in_use_stays) {
    begin("shared.npy");
    no_nameless = true;
    CHECK(save(path, 10) == GND_OK);
    /* The name that a temporary gets: what was left by it is removed, unless somebody has it locked. */
    char other[600] = "";
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        for (;;) save(path, 1000000);
    for (int tries = 0; tries < 5000 && !*other; tries++) {
        DIR *list = opendir(folder);
        for (struct dirent *d; (d = readdir(list));)
            if (strncmp(d->d_name, ".gnd-", 5) == 0) snprintf(other, sizeof other, "%s/%s", folder, d->d_name);
        closedir(list);
        usleep(200);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK(*other);
    const int file = open(other, O_RDWR | O_CREAT, 0600);
    CHECK(flock(file, LOCK_EX | LOCK_NB) == 0);
    CHECK(save(path, 20) == GND_OK && holds(path, 20));
    CHECK(access(other, F_OK) == 0);
    close(file);
    CHECK(save(path, 30) == GND_OK && holds(path, 30));
    CHECK(access(other, F_OK) != 0 && entries(folder) == 1);
    remove(path);
}

/* As a user whom rights apply to. */
static int in_a_folder_without_rights(void) {
    if (geteuid() == 0 && (setgid(65534) || setuid(65534))) return 77;
    if (save(path, 20) == GND_OK || gnd_error()->code != GND_ERROR_IO) return 1;
    if (!strstr(gnd_error()->message, "Permission denied; its folder takes no new file")) return 2;
    gnd_error_clear();
    return holds(path, 10) ? 0 : 3;
}
static int to_a_file_without_rights(void) {
    if (geteuid() == 0 && (setgid(65534) || setuid(65534))) return 77;
    if (save(path, 20) == GND_OK || !strstr(gnd_error()->message, "Permission denied")) return 1;
    gnd_error_clear();
    return holds(path, 10) ? 0 : 3;
}

TEST(rights_are_kept) {
    begin("rights.npy");
    CHECK(save(path, 10) == GND_OK);
    CHECK(chmod(path, 0666) == 0 && chmod(folder, 0555) == 0);
    CHECK(apart(in_a_folder_without_rights) % 77 == 0);
    CHECK(chmod(path, 0444) == 0 && chmod(folder, 0777) == 0);
    CHECK(apart(to_a_file_without_rights) % 77 == 0);
    struct stat info;
    CHECK(chmod(path, 0640) == 0 && save(path, 30) == GND_OK);
    CHECK(stat(path, &info) == 0 && (info.st_mode & 07777) == 0640);
    chmod(folder, 0700);
    remove(path);
}

TEST(links_and_pipes) {
    char link[600], pipe[600];
    begin("linked.npy");
    snprintf(link, sizeof link, "%s/link", folder), snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    CHECK(symlink("linked.npy", link) == 0);
    CHECK(save(link, 10) == GND_OK && holds(path, 10)); /* to a file that was not there */
    CHECK(save(link, 20) == GND_OK && holds(path, 20));
    struct stat info;
    CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    no_new = true;
    CHECK_ERROR(save(link, 5), GND_ERROR_IO, "its folder takes no new file");
    CHECK(holds(path, 20));
    CHECK(mkfifo(pipe, 0600) == 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(save(pipe, 50000) == GND_OK ? 0 : 1);
    CHECK(holds(pipe, 50000));
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK_ERROR(save(folder, 5), GND_ERROR_IO, "Is a directory");
    remove(link), remove(pipe), remove(path);
    CHECK(entries(folder) == 0);
}

/* On a small file system of its own, which nobody else sees. */
static int on_a_small_disk(const char *options) {
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", folder, "tmpfs", 0, options))
        return 77;
    return save(path, 10) == GND_OK ? 0 : 1;
}

static int without_space(void) {
    const int problem = on_a_small_disk("size=400k");
    if (problem) return problem;
    for (int named = 0; named < 2; named++) {
        no_nameless = named;
        if (save(path, 1000000) == GND_OK) return 2;
        if (!strstr(gnd_error()->message, "No space left on device")) return 3;
        gnd_error_clear();
        if (!holds(path, 10) || entries(folder) != 1) return 4;
    }
    return save(path, 20) == GND_OK && holds(path, 20) ? 0 : 5;
}

static int without_inodes(void) {
    const int problem = on_a_small_disk("nr_inodes=8");
    if (problem) return problem;
    char other[600];
    for (int i = 0; i < 10; i++) {
        snprintf(other, sizeof other, "%s/%d", folder, i);
        const int file = open(other, O_WRONLY | O_CREAT, 0600);
        if (file >= 0) close(file);
    }
    const int before = entries(folder);
    if (save(path, 1000) == GND_OK) return 2;
    if (!strstr(gnd_error()->message, "its folder takes no new file")) return 3;
    gnd_error_clear();
    return holds(path, 10) && entries(folder) == before ? 0 : 4;
}

TEST(a_full_disk) {
    begin("full.npy");
    const int space = apart(without_space), inodes = apart(without_inodes);
    if (space == 77) SKIP("only root can make a file system of its own");
    CHECK(space == 0);
    CHECK(inodes == 0);
}

TEST_MAIN
