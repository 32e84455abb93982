/*
 * crash_stack.c: writes the native stack to stderr when a signal ends a test process. Python's faulthandler, which runs
 * next, shows Python's frames alone. conftest.py compiles this file and calls crash_stack_install().
 *
 * After a jump to an address that is no code nothing can be unwound, so the addresses of libraries among the topmost
 * words of the stack are listed first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

enum { FRAMES = 24, WORDS = 64, STACK = 1 << 18 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
static struct sigaction before[NSIG];

static void report(int number, siginfo_t *info, void *context) {
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    void *frames[FRAMES], *words[WORDS], **top = (void **)registers[REG_RSP];
    char line[160];
    const int length = snprintf(
        line, sizeof line, "signal %d, code %d, address %p, ip %#llx, thread %d of %d\naddresses on the stack:\n",
        number, info->si_code, info->si_addr, (unsigned long long)registers[REG_RIP], (int)gettid(), (int)getpid());
    sigaction(number, &before[number], NULL);
    if (write(STDERR_FILENO, line, (size_t)length) < 0) return;
    int n = 0;
    for (int i = 0; i < WORDS; i++) {
        Dl_info where;
        if (dladdr(top[i], &where)) words[n++] = top[i];
    }
    backtrace_symbols_fd(words, n, STDERR_FILENO);
    static const char heading[] = "stack:\n";
    if (write(STDERR_FILENO, heading, sizeof heading - 1) < 0) return;
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
    raise(number); /* delivered on return, to what handled it before */
}

void crash_stack_install(void) {
    static char stack[STACK];
    void *frame[1];
    backtrace(frame, 1); /* loads the unwinder */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaction(signals[i], &action, &before[signals[i]]);
}
