/* Queue of kernel launches, which become CUDA graphs when they repeat.
 *
 * Launches wait in the queue until their results are needed. A new sequence of kernels is launched kernel by kernel.
 * From the second time on the sequence is a graph, which is launched as a whole; kernels whose parameters differ from
 * the last time are updated before. */
#ifndef ATTN_CUDA_QUEUE_H
#define ATTN_CUDA_QUEUE_H

#include "attn/model.h"
#include "driver.h"

enum { CUDA_GRAPHS = 16 /* graphs that are cached; a new one replaces the least recently used */ };

typedef struct cuda_launch {
  const attn_device_phase *phase;
  cu_function function;
  unsigned blocks;
  int64_t first, count; /* of its parameters in cuda_launches::words */
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

/* Makes room for launches of at most so many parameters; 0 where there is no memory. */
int cuda_queue_open(cuda_queue *queue, int64_t parameters);
void cuda_queue_close(cuda_queue *queue, const cuda_driver *driver);

/* Adds a launch whose parameters are `buffers`, `sizes`, `shared` and `status`; 0 where there is no memory. */
int cuda_queue_add(cuda_queue *queue, const cuda_launch *launch, const attn_kernel_args *args, cu_address status);
/* Removes the launches that wait. */
void cuda_queue_drop(cuda_queue *queue);
/* Launches all that wait on the stream. After an error `*what` names the operation that failed. */
cu_result cuda_queue_flush(cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what);

#endif
