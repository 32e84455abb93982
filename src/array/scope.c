/*
 * scope.c: references, and the scopes that own them.
 *
 * A scope is a struct on its opener's stack; the arrays it owns are linked through their headers,
 * so that making, keeping and releasing one costs the same few stores however many there are, and
 * no memory. Only the thread that opened a scope touches its list.
 *
 * `refs` counts the references that somebody releases by hand; GNDI_SCOPED in it says that a scope
 * holds one more. The two are apart so that a release on another thread can never take the scope's.
 */
#include "core/core.h"
#include "runtime/runtime.h"

static gndi_scope *scope_of(const gnd_array *a) {
    return atomic_load_explicit(&((gnd_array *)a)->scope, memory_order_relaxed);
}

/* Whether `scope` is open on the calling thread; never looks into a scope of another thread. */
static bool is_mine(const gndi_scope *scope) {
    for (const gndi_scope *s = gndi_tls.scope; s; s = s->parent)
        if (s == scope) return true;
    return false;
}

static void list_push(gndi_scope *scope, gnd_array *a) {
    a->scope_newer = NULL;
    a->scope_older = scope->first;
    if (scope->first) scope->first->scope_newer = a;
    scope->first = a;
    atomic_store_explicit(&a->scope, scope, memory_order_relaxed);
}

static void list_remove(gndi_scope *scope, gnd_array *a) {
    if (a->scope_newer)
        a->scope_newer->scope_older = a->scope_older;
    else
        scope->first = a->scope_older;
    if (a->scope_older) a->scope_older->scope_newer = a->scope_newer;
    atomic_store_explicit(&a->scope, NULL, memory_order_relaxed);
}

/* Gives back the reference of the scope `a` was just taken out of. */
static void drop_scope_reference(gnd_array *a) {
    /* The only reference: nobody else can be looking, so no atomic subtraction is needed. */
    if (gndi_likely(atomic_load_explicit(&a->refs, memory_order_acquire) == GNDI_SCOPED) ||
        atomic_fetch_sub_explicit(&a->refs, GNDI_SCOPED, memory_order_acq_rel) == GNDI_SCOPED)
        gndi_array_destroy(a);
}

void gndi_scope_adopt(gnd_array *a) {
    gndi_scope *scope = gndi_tls.scope;
    if (scope) {
        atomic_init(&a->refs, GNDI_SCOPED);
        list_push(scope, a);
    } else {
        atomic_init(&a->refs, 1);
        atomic_init(&a->scope, NULL);
    }
}

gnd_scope *gnd_scope_open(gnd_scope *scope) {
    scope->parent = gndi_tls.scope;
    scope->first = NULL;
    scope->owned = NULL;
    scope->fuses = NULL;
    gndi_tls.scope = scope;
    return scope;
}

void gnd_scope_close(gnd_scope *scope) {
    if (gndi_unlikely(gndi_tls.scope != scope)) {
        if (!is_mine(scope)) {
            gndi_raise(GND_ERROR_INVALID, "gnd_scope_close",
                       "this scope is not open on the calling thread; close a scope once, where it "
                       "was opened");
            return;
        }
        while (gndi_tls.scope != scope) gnd_scope_close(gndi_tls.scope);
    }
    gndi_tls.scope = scope->parent;
    for (gnd_array *a; (a = scope->first) != NULL;) {
        list_remove(scope, a);
        drop_scope_reference(a);
    }
    for (gnd_owned *object; (object = scope->owned) != NULL;) {
        gnd_scope_move(object, NULL);
        object->release(object);
    }
}

void gnd_scope_move(gnd_owned *object, gnd_scope *to) {
    if (!object) return;
    gnd_scope *from = object->scope;
    if (from) {
        *(object->newer ? &object->newer->older : &from->owned) = object->older;
        if (object->older) object->older->newer = object->newer;
    }
    object->scope = to;
    if (!to) return;
    object->newer = NULL, object->older = to->owned;
    if (to->owned) to->owned->newer = object;
    to->owned = object;
}

void gnd_scope_own(gnd_owned *object) {
    gnd_scope_move(object, gndi_tls.scope);
}

void gnd_scope_keep(gnd_owned *object) {
    if (object && object->scope && object->scope == gndi_tls.scope) gnd_scope_move(object, object->scope->parent);
}

/* Moves `a` from a scope of this thread to another one, or to the caller if `to` is NULL. */
static void move_to(gnd_array *a, gndi_scope *from, gndi_scope *to) {
    list_remove(from, a);
    if (to)
        list_push(to, a);
    else /* the scope's reference becomes a counted one, in one step */
        atomic_fetch_sub_explicit(&a->refs, GNDI_SCOPED - 1, memory_order_acq_rel);
}

/* The reverse: a counted reference becomes the scope's. */
static void adopt_counted(gnd_array *a, gndi_scope *scope) {
    atomic_fetch_add_explicit(&a->refs, GNDI_SCOPED - 1, memory_order_acq_rel);
    list_push(scope, a);
}

gnd_array *gnd_keep(gnd_array *a) {
    if (a == NULL) return NULL;
    if (gndi_missing(a)) return gndi_raise_null("gnd_keep", "a"), NULL;
    gndi_scope *innermost = gndi_tls.scope;
    if (innermost && scope_of(a) == innermost) move_to(a, innermost, innermost->parent);
    return a;
}

/* Whether scope `outer` is `inner` or encloses it; both are of this thread. NULL is the caller. */
static bool encloses(const gndi_scope *outer, const gndi_scope *inner) {
    if (outer == NULL) return true;
    for (; inner; inner = inner->parent)
        if (inner == outer) return true;
    return false;
}

gnd_array *gnd_assign(gnd_array **slot, gnd_array *value) {
    if (slot == NULL) {
        gndi_raise_null("gnd_assign", "slot");
        return NULL;
    }
    gnd_array *old = *slot;
    if (gndi_optional_missing("gnd_assign", old, "*slot") || gndi_optional_missing("gnd_assign", value, "value"))
        return NULL;
    if (old == value) return value;
    *slot = value;
    if (old == NULL) return gnd_keep(value);

    gndi_scope *home = scope_of(old);
    if (home && !is_mine(home)) home = NULL; /* another thread's: the new one is the caller's */
    if (value && scope_of(value) && !is_mine(scope_of(value)))
        *slot = value = gndi_array_alias("gnd_assign", value); /* that scope's header stays there */
    if (value) {
        gndi_scope *from = scope_of(value);
        if (from == NULL && home)
            adopt_counted(value, home);
        else if (from && !encloses(from, home)) /* else it lives as long as the old one would have */
            move_to(value, from, home);
    }
    if (home) {
        list_remove(home, old);
        drop_scope_reference(old);
    } else {
        gnd_release(old);
    }
    return value;
}

gnd_array *gnd_retain(const gnd_array *a) {
    gnd_array *array = (gnd_array *)a;
    if (gndi_optional_missing("gnd_retain", a, "a")) return NULL;
    if (array) atomic_fetch_add_explicit(&array->refs, 1, memory_order_relaxed);
    return array;
}

void gnd_release(gnd_array *a) {
    if (a == NULL || gndi_optional_missing("gnd_release", a, "a")) return;
    int refs = atomic_load_explicit(&a->refs, memory_order_acquire);
    while (refs != 1 && refs != GNDI_SCOPED) { /* somebody else holds a reference: count down */
        if (atomic_compare_exchange_weak_explicit(&a->refs, &refs, refs - 1, memory_order_acq_rel,
                                                  memory_order_acquire))
            return;
    }
    if (refs == GNDI_SCOPED) {
        gndi_scope *scope = scope_of(a);
        if (!is_mine(scope)) return;
        list_remove(scope, a);
    }
    gndi_array_destroy(a);
}
