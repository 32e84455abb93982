/*
 * gnd/graph.h: work that is recorded once and launched again and again: CUDA graphs, and lists of planned calls on
 * the CPU.
 *
 *     gnd_graph *step = gnd_graph_new();
 *     GND_GRAPH(step) {                              // records; nothing is computed yet
 *         GND_SCOPE {
 *             gnd_array *t = gnd_multiply(x, 0.5);   // a temporary: its memory belongs to the graph
 *             gnd_add_into(y, y, t);                 // y lives outside: each launch adds to it
 *         }
 *     }
 *     for (int i = 0; i < 1000; i++) gnd_graph_launch(step);
 *     gnd_graph_release(step);
 *
 * A launch costs the host about as much as one call, however many calls were recorded: their checks, plans and
 * launches are done. What the program computes on the host between the calls is done once, while recording.
 *
 * Arrays. A graph reads and writes the arrays that the recorded calls named, and keeps their memory alive. Streams are
 * ordered as for other calls: a launch waits for what wrote its inputs. Write results into arrays from outside
 * (the _into functions, gnd_copyto): an array made inside the block holds nothing before the first launch, and each
 * launch writes it anew. Memory that is allocated inside the block belongs to the graph until it is released, is used
 * again within the block, and is never handed to other arrays while the graph lives.
 *
 * Other numbers and arrays. Recording into a graph again replaces its work. If the calls are the same ones and only
 * their numbers and arrays differ, CUDA's executable graph is updated in place.
 * A number that changes with each launch is best kept in a 0-d array, which gnd_fill or a transfer sets in between.
 * Generators (gnd/random.h), filters and other streams of samples go on with each launch.
 *
 * What cannot be recorded is refused with GND_ERROR_INVALID, in the name of the function: calls that wait, or bring
 * elements to the host (gnd_sync, gnd_item, gnd_to_host, printing, functions whose result's shape depends on data);
 * host memory that is not pinned; copies between devices; events; a library's plan or handle that does not exist yet
 * (run the call once before). The program goes on; at the end of the block the graph is as it was before it, and
 * gnd_error() says what was refused. A program that takes the error inside the block (gnd_error_take) records the
 * rest.
 */
#ifndef GND_GRAPH_H
#define GND_GRAPH_H

#include <gnd/base.h>
#include <gnd/device.h>

GND_BEGIN

/** Recorded work; see the top of this page. */
typedef struct gnd_graph gnd_graph;

/** What gnd_graph_info_of tells. */
typedef struct gnd_graph_info {
    gnd_device device;
    bool recorded;     /**< there is work to launch */
    bool updated;      /**< the last recording had the same calls as the one before, and was exchanged in place */
    int64_t nodes;     /**< CUDA's nodes (kernels, copies); recorded calls on the CPU */
    int64_t arrays;    /**< pieces of memory from outside that it reads or writes */
    size_t bytes;      /**< memory of its own, for temporaries and arrays made inside the block */
    uint64_t launches; /**< since gnd_graph_new */
    void *reserved[4];
} gnd_graph_info;

/** An empty graph on the calling thread's current device. Release it with gnd_graph_release. Does not wait. */
GND_API gnd_graph *gnd_graph_new(void);

/**
 * Releases a graph and its memory, after the launches that are queued. Arrays that were made inside its block keep
 * theirs. NULL is ignored. Does not wait.
 */
GND_API void gnd_graph_release(gnd_graph *graph);

/**
 * Begins to record: until gnd_graph_end, the calling thread's current stream is one that records (GND_GRAPH does both).
 * Work on other streams, and that of other threads, is not recorded. Outside CUDA code that works on
 * gnd_stream_native(NULL) is recorded, too. On a GPU fused blocks that have no kernel of their own yet are compiled as
 * they are recorded (11 to 16 ms each; GND_FUSE=interpret: never). GND_ERROR_INVALID if this thread records already, or
 * another thread into this graph; GND_ERROR_UNAVAILABLE if no stream is left on the device.
 */
GND_API gnd_status gnd_graph_begin(gnd_graph *graph);

/**
 * Ends the recording, and makes the stream current that was so before. What was recorded replaces the graph's former
 * work, unless an error is pending: then the graph stays as it was, and the error's code is returned.
 * Does not wait.
 */
GND_API gnd_status gnd_graph_end(gnd_graph *graph);

/**
 * Queues all of the graph's work on the calling thread's current stream (the default stream of the graph's device if
 * that is on another one). Launches of one graph run one after the other. Does not wait; on the CPU the
 * work is done when it returns. GND_ERROR_INVALID if nothing was recorded, or inside a GND_GRAPH block.
 */
GND_API gnd_status gnd_graph_launch(gnd_graph *graph);

/** Fills `out` with what is known of a graph. Does not wait. */
GND_API gnd_status gnd_graph_info_of(const gnd_graph *graph, gnd_graph_info *out);

/** The cudaGraphExec_t of a recorded graph, for CUDA code of one's own; NULL on the CPU, and before the first
    recording. It stays gnd's: do not destroy it. */
GND_API void *gnd_graph_native(const gnd_graph *graph);

/* What GND_GRAPH needs; not for direct use. */
typedef struct gnd_graph_guard {
    gnd_graph *graph;
    int runs;
} gnd_graph_guard;
GND_API gnd_graph_guard gnd_graph_guard_begin_(gnd_graph *graph);
GND_API void gnd_graph_guard_end_(gnd_graph_guard *guard);

GND_END

#define GND_GRAPH_PASTE2_(a, b) a##b
#define GND_GRAPH_PASTE_(a, b) GND_GRAPH_PASTE2_(a, b)
#define GND_GRAPH_AS_(guard, graph)                                                                                    \
    for (gnd_graph_guard guard __attribute__((cleanup(gnd_graph_guard_end_))) = gnd_graph_guard_begin_(graph);         \
         guard.runs; guard.runs = 0)
/**
 * GND_GRAPH(graph) { ... }: the block is recorded into the graph, and not run; the recording ends with the block, also
 * on return, break or goto. If it cannot begin, an error is pending and the block is skipped. It is a loop that
 * runs once: break and continue inside it leave the block, not a loop around it.
 */
#define GND_GRAPH(graph) GND_GRAPH_AS_(GND_GRAPH_PASTE_(gnd_graph_guard_, __COUNTER__), graph)

#endif
