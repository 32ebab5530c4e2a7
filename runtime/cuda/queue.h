/* Queue of kernel launches; a sequence of launches that repeats becomes a CUDA graph.
 *
 * Launches wait in the queue until cuda_queue_flush. Two sequences are the same if they have the same kernel phases in
 * the same order. A new sequence is launched kernel by kernel. From its second occurrence on it is a graph, which is
 * launched as a whole, after an update of the kernels whose blocks or parameters differ from its last launch. */
#ifndef ATTN_CUDA_QUEUE_H
#define ATTN_CUDA_QUEUE_H

#include "attn/model.h"
#include "driver.h"

enum { CUDA_GRAPHS = 16 /* size of the cache, which replaces the least recently used graph */ };

/* A launch of one kernel phase. */
typedef struct cuda_launch {
  const attn_device_phase *phase;
  cu_function function;
  unsigned blocks;
  int64_t first, count; /* its parameters are words [first, first + count) of cuda_launches; cuda_queue_add sets them */
} cuda_launch;

/* A sequence of launches. */
typedef struct cuda_launches {
  cuda_launch *launches;
  uint64_t *words; /* the parameters of all launches, a word each */
  int64_t count, room, word_count, word_room; /* used and allocated elements of the two arrays */
} cuda_launches;

/* A sequence in the cache, and its graph. */
typedef struct cuda_graph {
  cuda_launches launches; /* the sequence, with the parameters of its last launch */
  cu_graph graph;         /* null until the sequence repeats, like executable and nodes */
  cu_executable executable;
  cu_node *nodes; /* one for each launch */
} cuda_graph;

/* The launches of one stream; empty if all members are 0. */
typedef struct cuda_queue {
  cuda_launches waiting; /* added since the last flush */
  void **addresses;      /* room for the addresses of the parameters of one launch */
  int64_t address_room;
  cuda_graph graphs[CUDA_GRAPHS]; /* the most recently used one first */
} cuda_queue;

/* Adds `launch`, of which phase, function and blocks are set, with the parameters `buffers`, `sizes` and `shared` of
 * `args` and the address `status`. Returns 0, and adds nothing, if there is no memory. */
int cuda_queue_add(cuda_queue *queue, const cuda_launch *launch, const attn_kernel_args *args, cu_address status);
/* Removes the waiting launches. */
void cuda_queue_drop(cuda_queue *queue);
/* Launches all waiting launches on the stream, in order, and removes them, also after an error, for which `*what` is
 * the name of the failed operation. */
cu_result cuda_queue_flush(cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what);
/* Frees the memory and the graphs. */
void cuda_queue_close(cuda_queue *queue, const cuda_driver *driver);

#endif
