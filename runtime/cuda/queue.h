/* Launches on their way to a device.
 *
 * They wait here until somebody needs what they compute. Functions that come one after the other for the first time are
 * launched one by one; from the second time on they are a graph, which is launched at once: as it is where numbers and
 * addresses are those of the last time, otherwise with the launches that differ set anew. */
#ifndef ATTN_CUDA_QUEUE_H
#define ATTN_CUDA_QUEUE_H

#include "attn/model.h"
#include "driver.h"

enum { CUDA_GRAPHS = 16 /* that are kept; the one that was not used for longest makes room */ };

typedef struct cuda_launch {
  const attn_device_phase *phase;
  cu_function function;
  unsigned blocks;
  int64_t first, count; /* of its parameters, among the words of all */
} cuda_launch;

typedef struct cuda_launches {
  cuda_launch *launches;
  uint64_t *words;
  int64_t count, room, word_count, word_room;
} cuda_launches;

typedef struct cuda_graph {
  cuda_launches launches; /* as it has them now */
  cu_graph graph;         /* null until the launches come again */
  cu_executable executable;
  cu_node *nodes;
  uint64_t used; /* when, by the queue's clock */
} cuda_graph;

typedef struct cuda_queue {
  cuda_launches waiting;
  void **addresses; /* of the parameters of one launch */
  cuda_graph graphs[CUDA_GRAPHS];
  uint64_t clock;
} cuda_queue;

/* Makes room for launches of at most so many parameters. 0: there is no memory. */
int cuda_queue_open(cuda_queue *queue, int64_t parameters);
void cuda_queue_close(cuda_queue *queue, const cuda_driver *driver);

/* Adds a launch; its parameters are `buffers`, `sizes`, and the two addresses. 0: there is no memory. */
int cuda_queue_add(cuda_queue *queue, const cuda_launch *launch, const attn_kernel_args *args, cu_address status);
/* Forgets what waits. */
void cuda_queue_drop(cuda_queue *queue);
/* Hands all that waits to the device. Where that fails, `*what` says what failed. */
cu_result cuda_queue_flush(cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what);

#endif
