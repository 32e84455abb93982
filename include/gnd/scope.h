/*
 * gnd/scope.h: ownership and release of arrays.
 *
 * Outside any scope, the caller of a function owns the array it returns and gives it back with gnd_release().
 * Inside a scope each new array belongs to the scope, which releases it at its end:
 *
 *     gnd_array *normalised(const gnd_array *x) {
 *         gnd_array *result = NULL;
 *         GND_SCOPE {
 *             gnd_array *centred = gnd_subtract(x, gnd_mean(x, GND_ALL));
 *             gnd_array *variance = gnd_mean(gnd_square(centred), GND_ALL);
 *             result = gnd_keep(gnd_divide(centred, gnd_sqrt(variance)));
 *         }
 *         return result;
 *     }
 *
 * A scope ends at its closing brace, and also on return, break and goto, which may leave several nested
 * scopes at once (and, in C++, when an exception passes): each is closed, and nothing leaks.
 *
 * GND_SCOPE is a loop that runs once. So break and continue inside it leave the scope, and not the loop
 * around it; and a function that returns from inside one still needs a return at its end to please the
 * compiler. In the body of a loop, GND_SCOPE_HERE opens a scope that lasts to the end of the block it stands
 * in. It is a declaration, not a loop: break leaves the loop, continue starts its next pass, and both close
 * the scope, as return and goto do.
 *
 *     for (int i = 0; i < 1000; i++) {
 *         GND_SCOPE_HERE;
 *         gnd_array *next = step(x);
 *         double change = gnd_item_double(gnd_max(gnd_absolute(gnd_subtract(next, x)), GND_ALL));
 *         gnd_assign(&x, next);
 *         if (change < 1e-6) break;
 *     }
 *
 * Scopes nest, and belong to the thread that opened them. Jumping over a scope with longjmp, or with goto or
 * a case label behind a GND_SCOPE_HERE, is not supported. Scopes cost no heap memory.
 */
#ifndef GND_SCOPE_H
#define GND_SCOPE_H

#include <gnd/base.h>

GND_BEGIN

/** A scope. Its members are private; the struct must not be moved until it is closed. */
typedef struct gnd_scope {
    struct gnd_scope *parent;      /* the scope around this one on the same thread */
    gnd_array *first;              /* the arrays it owns, the newest first */
    struct gnd_owned *owned;       /* objects of other libraries that it owns, the newest first */
    struct gnd_fuse_thread *fuses; /* of a block of gnd/fuse.h; NULL: it is none */
} gnd_scope;

/**
 * What an object of another library begins with, or contains, so that scopes can own it as they own arrays.
 * `release` is set by that library before gnd_scope_own(); the rest is private. All zero: no scope owns it.
 */
typedef struct gnd_owned {
    void (*release)(struct gnd_owned *object); /**< called by the scope at its end */
    struct gnd_owned *newer, *older;           /* neighbours in that scope's list */
    gnd_scope *scope;                          /* the scope that owns it */
} gnd_owned;

/**
 * Opens a scope on the calling thread and returns `scope`: every array this thread makes from now
 * on belongs to it. For code that GND_SCOPE does not suit, such as language bindings.
 */
GND_API gnd_scope *gnd_scope_open(gnd_scope *scope);
/**
 * Closes a scope and releases what it owns, scopes opened inside it first. Must be called on the
 * thread that opened it (else GND_ERROR_INVALID). Does not wait for the device.
 */
GND_API void gnd_scope_close(gnd_scope *scope);

/**
 * Moves an array out of the innermost scope, into the scope around it or, if there is none, to the
 * caller, who then releases it. Returns `a`. An array that outlives the innermost scope anyway (it
 * belongs to an outer scope, to the caller, or to another thread) stays where it is. NULL gives
 * NULL.
 */
GND_API gnd_array *gnd_keep(gnd_array *a);
/**
 * Replaces `*slot`, an array that outlives the innermost scope, by `value`, as in gnd_assign(&total,
 * gnd_add(total, x)) inside a loop's scope. The old array is released. The new one is owned by the scope that
 * owned the old one, or by the caller if the caller owned it. If no scope owns `value`, the caller's
 * reference to it is consumed; gnd_retain() it first to keep using it. If `*slot` is NULL, `value` is moved
 * as by gnd_keep(). If `value` is NULL (its call failed), `*slot` becomes NULL, as `total = gnd_add(total,
 * x)` would make it. Returns `*slot`.
 */
GND_API gnd_array *gnd_assign(gnd_array **slot, gnd_array *value);

/**
 * Takes one more reference to an array, which somebody gives back with gnd_release() even inside a
 * scope: to store the array, or to hand it to another thread. Returns `a`. NULL gives NULL.
 */
GND_API gnd_array *gnd_retain(const gnd_array *a);
/**
 * Gives one reference back; the last one frees the array, and the memory if no view shares it, as
 * soon as work already queued on it is done: nothing waits. NULL is ignored.
 *
 * An array that a scope owns may be released before the scope ends: if the scope's is the only
 * reference left, the array is taken out of the scope and freed now (by another thread: left to its
 * scope). References from gnd_retain() are given back first, so do not release the scope's own one
 * early while a reference taken for another thread is still out; the scope will.
 */
GND_API void gnd_release(gnd_array *a);

/**
 * For libraries on top of gnd: the calling thread's innermost scope owns `object` from now on and calls its
 * release function when it ends. Without a scope nothing happens: the caller owns it. Costs no memory.
 */
GND_API void gnd_scope_own(gnd_owned *object);
/** gnd_keep() for such an object: out of the innermost scope, into the one around it or to the caller. */
GND_API void gnd_scope_keep(gnd_owned *object);
/** Moves an object from the scope that owns it, if one does, to another of the calling thread; NULL: to the caller. */
GND_API void gnd_scope_move(gnd_owned *object, gnd_scope *to);

GND_END

#if defined(__GNUC__)
#    define GND_BLOCK_NAME2_(name, line) name##line
#    define GND_BLOCK_NAME_(name, line) GND_BLOCK_NAME2_(name, line)
#    define GND_BLOCK_VARIABLE_(type, close, block) type block __attribute__((cleanup(close)))
#    define GND_BLOCK_AS_(type, open, close, block, once)                                                              \
        for (GND_BLOCK_VARIABLE_(type, close, block), *once = open(&block); once; once = NULL)
/* A block of code that a struct on the stack opens, and closes however the block is left. */
#    define GND_BLOCK_(type, open, close)                                                                              \
        GND_BLOCK_AS_(type, open, close, GND_BLOCK_NAME_(type##_at_, __LINE__),                                        \
                      GND_BLOCK_NAME_(type##_once_at_, __LINE__))
#    define GND_HERE_AS_(type, open, close, block, opened)                                                             \
        GND_BLOCK_VARIABLE_(type, close, block), *opened __attribute__((unused)) = open(&block)
/* The same as a declaration: from here to the end of the block that it stands in. */
#    define GND_HERE_(type, open, close)                                                                               \
        GND_HERE_AS_(type, open, close, GND_BLOCK_NAME_(type##_at_, __LINE__),                                         \
                     GND_BLOCK_NAME_(type##_opened_at_, __LINE__))
/** GND_SCOPE { ... } releases at its end each array made inside; see the top of this file. */
#    define GND_SCOPE GND_BLOCK_(gnd_scope, gnd_scope_open, gnd_scope_close)
/** GND_SCOPE_HERE; is a scope from here to the end of the enclosing block, which break, continue,
    return and goto may leave; see the top of this file. */
#    define GND_SCOPE_HERE GND_HERE_(gnd_scope, gnd_scope_open, gnd_scope_close)
#endif

#endif
