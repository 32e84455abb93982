/*
 * graph.h: recorded work (gnd/graph.h), as the runtime's files see it.
 *
 * A graph is recorded on a stream of the library's own, which executes nothing meanwhile: on a GPU CUDA captures it, on
 * the CPU src/backend/recorded.c lists the calls. Work that is recorded has not happened, so the records of
 * outside buffers (order.c) are left alone: the graph lists these buffers, keeps them alive, and each launch uses them
 * in the order of its stream, like any other call. Memory that is requested on a recording stream is the graph's own
 * (graph_memory.c).
 */
#ifndef GNDI_GRAPH_H
#define GNDI_GRAPH_H

#include "runtime/runtime.h"

/* A buffer from outside that the graph reads or writes. */
typedef struct gndi_graph_use {
    gndi_buffer *buffer;
    bool write;
} gndi_graph_use;

/* Something else that must stay while a graph may run: a library's plan. */
typedef struct gndi_graph_kept {
    struct gndi_graph_kept *next;
    void *thing;
    void (*give)(void *thing);
} gndi_graph_kept;

typedef struct gndi_graph_uses {
    gndi_graph_use *use;
    int64_t count, capacity;
    gndi_graph_kept *kept;
} gndi_graph_uses;

/* The blocks of a graph. Arrays that outlive it keep this struct. */
typedef struct gndi_graph_memory {
    gndi_device *device;
    gndi_lock lock;
    int64_t holders; /* the graph, and the blocks that are in use */
    bool closed;     /* the graph was released */
    gndi_buffer **block;
    int64_t count, capacity;
    gndi_buffer *spare; /* blocks that are not in use, linked through `context` */
    size_t bytes;
} gndi_graph_memory;

struct gnd_graph {
    gndi_device *device;
    gndi_lock lock; /* held by launches, and from the beginning of a recording to its end */
    gndi_graph_memory *memory;
    gndi_graph_uses uses;
    void *executable; /* the backend's; NULL: nothing was recorded */
    gnd_graph_info info;
    /* While it records: */
    gnd_stream *stream, *previous;
    const gndi_thread *_Atomic thread; /* NULL: it does not record */
    gndi_graph_uses recorded;
};

/* A call on a recording stream uses a buffer that is not the graph's (order.c). */
gnd_status gndi_graph_note(gnd_graph *g, gndi_buffer *b, bool write, const char *fn);

/* What is recorded on `s` needs a thing until the graph is released or has other work: `give` is called then. */
gnd_status gndi_graph_keep(gnd_stream *s, void *thing, void (*give)(void *thing), const char *fn);

/* graph_memory.c */
gndi_graph_memory *gndi_graph_memory_new(gndi_device *d, const char *fn);
/* Before a recording: what earlier launches do with blocks comes before all that later launches do. */
void gndi_graph_memory_begin(gndi_graph_memory *m);
/* After a recording on `s`: its work on the blocks has not happened. */
void gndi_graph_memory_end(gndi_graph_memory *m, const gnd_stream *s);
/* A launch on `s` uses all blocks. */
gnd_status gndi_graph_memory_order(gndi_graph_memory *m, gnd_stream *s, const char *fn);
void gndi_graph_memory_close(gndi_graph_memory *m);
/* For the pool: a block of a graph for a buffer on a recording stream; `size` is `bytes` rounded up. */
gndi_buffer *gndi_graph_block(const char *fn, gnd_stream *s, uint32_t class, size_t size, size_t bytes);
/* Its last reference is gone. */
void gndi_graph_block_release(gndi_buffer *b);
/* The header of a block was copied to another one (gndi_buffer_fill). */
void gndi_graph_block_moved(const gndi_buffer *from, gndi_buffer *to);

/* pool.c, for graph_memory.c: new memory in the order of `s`; the start of a buffer's use on a slot; its end. */
gndi_buffer *gndi_buffer_fresh(gnd_stream *s, uint32_t class, size_t size, size_t bytes, const char *fn);
void gndi_buffer_start(gndi_buffer *b, gndi_device *d, uint32_t slot, uint64_t seq);
void gndi_buffer_finish(gndi_buffer *b);

#endif
