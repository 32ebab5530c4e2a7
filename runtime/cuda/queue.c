#include "queue.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

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
      !reserve((void **)&all->words, &all->word_room, all->word_count + count, sizeof *all->words) ||
      !reserve((void **)&queue->addresses, &queue->address_room, count, sizeof *queue->addresses))
    return 0;
  cuda_launch *added = &all->launches[all->count++];
  *added = *launch;
  added->first = all->word_count;
  added->count = count;
  uint64_t *word = all->words + all->word_count;
  for (int32_t i = 0; i < phase->buffer_count; ++i)
    *word++ = (uintptr_t)args->buffers[i];
  for (int32_t i = 0; i < phase->size_count; ++i)
    *word++ = (uint64_t)args->sizes[i];
  *word++ = (uintptr_t)args->shared;
  *word = status;
  all->word_count += count;
  return 1;
}

void cuda_queue_drop(cuda_queue *queue) { queue->waiting.count = queue->waiting.word_count = 0; }

/* Returns the driver's record of waiting launch `number`, valid until the next one is returned. */
static cu_kernel_parameters record_of(const cuda_queue *queue, int64_t number) {
  const cuda_launch *launch = &queue->waiting.launches[number];
  unsigned threads = (unsigned)launch->phase->threads, bytes = (unsigned)launch->phase->block_bytes;
  for (int64_t i = 0; i < launch->count; ++i)
    queue->addresses[i] = &queue->waiting.words[launch->first + i];
  return (cu_kernel_parameters){launch->function, {launch->blocks, 1, 1}, {threads, 1, 1}, bytes, queue->addresses, 0};
}

static cu_result launch_each(const cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what) {
  for (int64_t i = 0; i < queue->waiting.count; ++i) {
    cu_kernel_parameters each = record_of(queue, i);
    *what = queue->waiting.launches[i].phase->name;
    ATTN_TRY(driver->cuLaunchKernel(each.function, each.blocks[0], 1, 1, each.threads[0], 1, 1, each.shared_bytes,
                                    stream, each.parameters, 0));
  }
  return 0;
}

static void destroy(cuda_graph *graph, const cuda_driver *driver) {
  if (graph->executable)
    driver->cuGraphExecDestroy(graph->executable);
  if (graph->graph)
    driver->cuGraphDestroy(graph->graph);
  free(graph->nodes);
  *graph = (cuda_graph){.launches = graph->launches};
}

/* Builds a graph with a node for each waiting launch, after the node of the launch before it. After an error here or in
 * update(), the caller destroys the graph. */
static cu_result build(cuda_queue *queue, cuda_graph *graph, const cuda_driver *driver) {
  int64_t count = queue->waiting.count;
  cu_graph built;
  cu_executable executable;
  graph->nodes = calloc((size_t)count, sizeof *graph->nodes);
  ATTN_TRY(graph->nodes ? driver->cuGraphCreate(&built, 0) : CU_OUT_OF_MEMORY);
  graph->graph = built;
  for (int64_t i = 0; i < count; ++i) {
    cu_kernel_parameters each = record_of(queue, i);
    ATTN_TRY(driver->cuGraphAddKernelNode(&graph->nodes[i], built, i > 0 ? &graph->nodes[i - 1] : 0, i > 0, &each));
  }
  ATTN_TRY(driver->cuGraphInstantiate(&executable, built, 0));
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
    cu_kernel_parameters each = record_of(queue, i);
    ATTN_TRY(driver->cuGraphExecKernelNodeSetParams(graph->executable, graph->nodes[i], &each));
  }
  return 0;
}

static int has_phases(const cuda_graph *graph, const cuda_launches *all) {
  int same = graph->launches.count == all->count;
  for (int64_t i = 0; same && i < all->count; ++i)
    same = graph->launches.launches[i].phase == all->launches[i].phase;
  return same;
}

cu_result cuda_queue_flush(cuda_queue *queue, const cuda_driver *driver, cu_stream stream, const char **what) {
  if (queue->waiting.count == 0)
    return 0;
  int number = 0;
  while (number < CUDA_GRAPHS && !has_phases(&queue->graphs[number], &queue->waiting))
    ++number;
  int is_known = number < CUDA_GRAPHS;
  number = is_known ? number : CUDA_GRAPHS - 1;
  cuda_graph graph = queue->graphs[number];
  cu_result error;
  if (!is_known) {
    destroy(&graph, driver);
    error = launch_each(queue, driver, stream, what);
  } else {
    *what = "its graph of kernels";
    error = graph.executable ? update(queue, &graph, driver) : build(queue, &graph, driver);
    if (error)
      destroy(&graph, driver);
    else
      error = driver->cuGraphLaunch(graph.executable, stream);
  }
  /* The launches move to the graph; the queue reuses the memory of the graph's old launches. */
  cuda_launches before = graph.launches;
  graph.launches = queue->waiting;
  queue->waiting = before;
  memmove(queue->graphs + 1, queue->graphs, (size_t)number * sizeof graph);
  queue->graphs[0] = graph;
  cuda_queue_drop(queue);
  return error;
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
