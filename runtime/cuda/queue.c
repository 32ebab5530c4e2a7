#include "queue.h"

#include <stdlib.h>
#include <string.h>

/* Waiting launches ------------------------------------------------------------------------------------------------- */

/* Grows an array to at least `count` elements; returns 0 if there is no memory. */
static int reserve(void **elements, int64_t *room, int64_t count, size_t size) {
  if (count <= *room)
    return 1;
  int64_t wanted = count > 2 * *room ? count : 2 * *room;
  void *grown = realloc(*elements, (size_t)wanted * size);
  if (grown) {
    *elements = grown;
    *room = wanted;
  }
  return grown != 0;
}

int cuda_queue_add(cuda_queue *queue, const cuda_launch *launch, const attn_kernel_args *args, cu_address status) {
  cuda_launches *all = &queue->waiting;
  const attn_device_phase *phase = launch->phase;
  int64_t count = phase->buffer_count + phase->size_count + 2;
  if (!reserve((void **)&all->launches, &all->room, all->count + 1, sizeof *all->launches) ||
      !reserve((void **)&all->words, &all->word_room, all->word_count + count, sizeof *all->words))
    return 0;
  cuda_launch *added = &all->launches[all->count++];
  *added = *launch;
  added->first = all->word_count;
  added->count = count;
  uint64_t *word = all->words + all->word_count;
  for (int32_t i = 0; i < phase->buffer_count; ++i)
    *word++ = (uint64_t)(uintptr_t)args->buffers[i];
  for (int32_t i = 0; i < phase->size_count; ++i)
    *word++ = (uint64_t)args->sizes[i];
  *word++ = (uint64_t)(uintptr_t)args->shared;
  *word = status;
  all->word_count += count;
  return 1;
}

void cuda_queue_drop(cuda_queue *queue) { queue->waiting.count = queue->waiting.word_count = 0; }

/* Returns the array of addresses from which the driver copies the parameters of a launch. */
static void **parameter_addresses(const cuda_queue *queue, const cuda_launches *all, const cuda_launch *launch) {
  for (int64_t i = 0; i < launch->count; ++i)
    queue->addresses[i] = &all->words[launch->first + i];
  return queue->addresses;
}

static cu_result launch_each(const cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what) {
  const cuda_launches *all = &queue->waiting;
  for (int64_t i = 0; i < all->count; ++i) {
    const cuda_launch *each = &all->launches[i];
    *what = each->phase->name;
    CUDA_TRY(driver->cuLaunchKernel(each->function, each->blocks, 1, 1, (unsigned)each->phase->threads, 1, 1,
                                    (unsigned)each->phase->block_bytes, stream, parameter_addresses(queue, all, each),
                                    0));
  }
  return 0;
}

/* Graphs ----------------------------------------------------------------------------------------------------------- */

static void destroy(cuda_graph *graph, const cuda_driver *driver) {
  if (graph->executable)
    driver->cuGraphExecDestroy(graph->executable);
  if (graph->graph)
    driver->cuGraphDestroy(graph->graph);
  free(graph->nodes);
  graph->executable = 0;
  graph->graph = 0;
  graph->nodes = 0;
}

static cu_kernel_parameters node_parameters(const cuda_queue *queue, const cuda_launches *all, int64_t number) {
  const cuda_launch *launch = &all->launches[number];
  return (cu_kernel_parameters){.function = launch->function,
                                .blocks_x = launch->blocks,
                                .blocks_y = 1,
                                .blocks_z = 1,
                                .threads_x = (unsigned)launch->phase->threads,
                                .threads_y = 1,
                                .threads_z = 1,
                                .shared_bytes = (unsigned)launch->phase->block_bytes,
                                .parameters = parameter_addresses(queue, all, launch)};
}

/* Builds a graph with a node for each waiting launch, after the node of the launch before it. After an error here or in
 * update(), the caller destroys the graph. */
static cu_result build(cuda_queue *queue, cuda_graph *graph, const cuda_driver *driver) {
  const cuda_launches *all = &queue->waiting;
  cu_graph built;
  cu_executable executable;
  graph->nodes = calloc((size_t)all->count, sizeof *graph->nodes);
  CUDA_TRY(graph->nodes ? driver->cuGraphCreate(&built, 0) : CU_OUT_OF_MEMORY);
  graph->graph = built;
  for (int64_t i = 0; i < all->count; ++i) {
    cu_kernel_parameters parameters = node_parameters(queue, all, i);
    CUDA_TRY(
        driver->cuGraphAddKernelNode(&graph->nodes[i], built, i > 0 ? &graph->nodes[i - 1] : 0, i > 0, &parameters));
  }
  CUDA_TRY(driver->cuGraphInstantiate(&executable, built, 0));
  graph->executable = executable;
  return 0;
}

/* Updates the nodes whose launches differ from the graph's last launch. */
static cu_result update(cuda_queue *queue, cuda_graph *graph, const cuda_driver *driver) {
  const cuda_launches *now = &queue->waiting, *before = &graph->launches;
  for (int64_t i = 0; i < now->count; ++i) {
    const cuda_launch *launch = &now->launches[i];
    size_t bytes = (size_t)launch->count * sizeof *now->words;
    if (launch->blocks == before->launches[i].blocks &&
        memcmp(now->words + launch->first, before->words + launch->first, bytes) == 0)
      continue;
    cu_kernel_parameters parameters = node_parameters(queue, now, i);
    CUDA_TRY(driver->cuGraphExecKernelNodeSetParams(graph->executable, graph->nodes[i], &parameters));
  }
  return 0;
}

static int has_phases(const cuda_graph *graph, const cuda_launches *all) {
  int same = graph->launches.count == all->count;
  for (int64_t i = 0; same && i < all->count; ++i)
    same = graph->launches.launches[i].phase == all->launches[i].phase;
  return same;
}

/* Returns the graph of the waiting sequence with `*is_known` 1, or else the least recently used graph. */
static cuda_graph *find(cuda_queue *queue, int *is_known) {
  cuda_graph *oldest = &queue->graphs[0];
  for (int i = 0; i < CUDA_GRAPHS; ++i) {
    cuda_graph *each = &queue->graphs[i];
    *is_known = has_phases(each, &queue->waiting);
    if (*is_known)
      return each;
    if (each->used < oldest->used)
      oldest = each;
  }
  return oldest;
}

/* Moves the waiting launches to the graph. The queue reuses the memory of the graph's old launches. */
static void store(cuda_queue *queue, cuda_graph *graph) {
  cuda_launches before = graph->launches;
  graph->launches = queue->waiting;
  queue->waiting = before;
  graph->used = ++queue->clock;
  cuda_queue_drop(queue);
}

cu_result cuda_queue_flush(cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what) {
  if (queue->waiting.count == 0)
    return 0;
  int is_known;
  cuda_graph *graph = find(queue, &is_known);
  cu_result error;
  if (!is_known) {
    destroy(graph, driver);
    error = launch_each(queue, driver, stream, what);
  } else {
    *what = "its graph of kernels";
    error = graph->executable ? update(queue, graph, driver) : build(queue, graph, driver);
    if (error)
      destroy(graph, driver);
    else
      error = driver->cuGraphLaunch(graph->executable, stream);
  }
  store(queue, graph);
  return error;
}

/* Opening and closing ---------------------------------------------------------------------------------------------- */

int cuda_queue_open(cuda_queue *queue, int64_t parameters) {
  queue->addresses = calloc((size_t)parameters, sizeof *queue->addresses);
  return queue->addresses != 0;
}

static void free_launches(cuda_launches *all) {
  free(all->launches);
  free(all->words);
}

void cuda_queue_close(cuda_queue *queue, const cuda_driver *driver) {
  for (int i = 0; i < CUDA_GRAPHS; ++i) {
    destroy(&queue->graphs[i], driver);
    free_launches(&queue->graphs[i].launches);
  }
  free_launches(&queue->waiting);
  free(queue->addresses);
}
