/* Queue of kernel launches; a sequence of launches that repeats becomes a CUDA graph.
 *
 * Launches wait in the queue until their results are needed. A new sequence of kernels is launched kernel by kernel.
 * From its second occurrence on the sequence is a graph, which is launched as a whole, after an update of the kernels
 * whose parameters differ from its last launch. */
#ifndef ATTN_CUDA_QUEUE_H
#define ATTN_CUDA_QUEUE_H

#include "attn/model.h"
#include "driver.h"

enum { CUDA_GRAPHS = 16 /* size of the cache, which replaces the least recently used graph */ };

typedef struct cuda_launch {
  const attn_device_phase *phase;
  cu_function function;
  unsigned blocks;
  int64_t first, count; /* range of its parameters in cuda_launches::words */
} cuda_launch;

/* A sequence of launches. */
typedef struct cuda_launches {
  cuda_launch *launches;
  uint64_t *words;
  int64_t count, room, word_count, word_room;
} cuda_launches;

typedef struct cuda_graph {
  cuda_launches launches; /* as of the last launch */
  cu_graph graph;         /* null until the sequence repeats */
  cu_executable executable;
  cu_node *nodes;
  uint64_t used; /* the value of the queue's clock at its last use */
} cuda_graph;

typedef struct cuda_queue {
  cuda_launches waiting;
  void **addresses; /* room for the addresses of the parameters of one launch */
  cuda_graph graphs[CUDA_GRAPHS];
  uint64_t clock;
} cuda_queue;

/* Allocates the queue for launches of at most `parameters` parameters; returns 0 if there is no memory. */
int cuda_queue_open(cuda_queue *queue, int64_t parameters);
void cuda_queue_close(cuda_queue *queue, const cuda_driver *driver);

/* Adds a launch with the parameters `buffers`, `sizes`, `shared` and `status`; returns 0 if there is no memory. */
int cuda_queue_add(cuda_queue *queue, const cuda_launch *launch, const attn_kernel_args *args, cu_address status);
/* Removes the waiting launches. */
void cuda_queue_drop(cuda_queue *queue);
/* Launches all waiting launches on the stream. After an error `*what` names the failed operation. */
cu_result cuda_queue_flush(cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what);

#endif
