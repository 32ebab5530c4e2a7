/* Queue of kernel launches in host memory; a sequence of launches that repeats becomes a CUDA graph.
 *
 * Launches wait in the queue until cuda_queue_flush passes them to a stream, as one sequence. Two sequences are the
 * same if they have the same kernel phases in the same order. A sequence that is not in the cache is added to it and
 * launched kernel by kernel. When the queue flushes a cached sequence again, it builds a graph with one node for each
 * launch. From then on, while the sequence is cached, it launches the graph as a whole; before a launch it updates the
 * nodes whose number of blocks or parameters have changed. If the driver fails to build or update a graph, the queue
 * builds it again for the next such sequence.
 *
 * A queue serves one stream. The driver's context must be current for flush and close. */
#ifndef ATTN_CUDA_QUEUE_H
#define ATTN_CUDA_QUEUE_H

#include "attn/model.h"
#include "driver.h"

enum { CUDA_GRAPHS = 16 /* sequences in the cache, which replaces the least recently used one */ };

/* A launch of one kernel phase. */
typedef struct cuda_launch {
  const attn_device_phase *phase;
  cu_function function; /* the function of the phase in the loaded module */
  unsigned blocks;      /* number of blocks of the grid, which has one dimension; at least 1 */
  int64_t first, count; /* set by cuda_queue_add: its parameters are cuda_launches::words[first .. first + count) */
} cuda_launch;

/* A sequence of launches. */
typedef struct cuda_launches {
  cuda_launch *launches;
  uint64_t *words;                            /* the parameters of all launches, a word for each parameter */
  int64_t count, room, word_count, word_room; /* used and allocated elements of `launches`, and of `words` */
} cuda_launches;

/* A sequence in the cache, and its graph if the sequence has repeated. */
typedef struct cuda_graph {
  cuda_launches launches; /* the sequence, with the parameters of its last launch */
  cu_graph graph;         /* `graph`, `executable` and `nodes` are null until the sequence repeats */
  cu_executable executable;
  cu_node *nodes; /* one for each launch, in order */
} cuda_graph;

/* The waiting launches and the cached graphs of one stream. A queue with all members 0 is empty and valid. */
typedef struct cuda_queue {
  cuda_launches waiting; /* added since the last flush */
  void **addresses;      /* an array for the addresses of the parameters of one launch, as the driver expects them */
  int64_t address_room;
  cuda_graph graphs[CUDA_GRAPHS]; /* the most recently used one first */
} cuda_queue;

/* Adds a copy of `launch`, whose phase, function and blocks the caller has set. The parameters of the kernel are copied
 * too: `buffers`, `sizes` and `shared` of `args`, then `status`, the address of the status in device memory. Returns 1;
 * or 0, and adds nothing, if there is too little memory. */
int cuda_queue_add(cuda_queue *queue, const cuda_launch *launch, const attn_kernel_args *args, cu_address status);
/* Removes the waiting launches without launching them. */
void cuda_queue_drop(cuda_queue *queue);
/* Launches all waiting launches on the stream, in order, removes them from the queue, and returns without waiting for
 * the device. After an error of the driver, which is returned, they are removed too, the first of them may have been
 * launched, and `*what`, unspecified on success, names the failed operation: a phase, or "its graph of kernels". */
cu_result cuda_queue_flush(cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what);
/* Frees the memory and the graphs. The stream must have finished all launches. */
void cuda_queue_close(cuda_queue *queue, const cuda_driver *driver);

#endif
