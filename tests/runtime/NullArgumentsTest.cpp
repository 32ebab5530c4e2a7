// Passes null pointers for each argument of each function of runtime/include, runtime/files/include and
// runtime/packed/include.
// CudaNullArgumentsTest.cpp of tests/e2e covers attn/cuda.h.
#include "tests/support/NullArguments.h"
#include "attn/attn.h"
#include "attn/packed.h"
#include "tests/runtime/ModelRecord.h"
#include <unistd.h>

namespace attnc {
namespace {

// next(state[rows]) with a parameter "p" of one element.
const attn_dimension_info dimensions[] = {{"rows", -1, 0}};
const int32_t first[] = {0};
const attn_size_term rowsTerm[] = {{1, first, 1, 0, nullptr}};
const attn_size_info shape[] = {{rowsTerm, 1}};
const attn_tensor_info tensorInfos[] = {{"state", shape, ATTN_F32, 1}};
const attn_entry_info entries[] = {{"next", [](const attn_frame *) -> int32_t { return ATTN_OK; },
                                    [](const int64_t *, int64_t) { return int64_t(0); }, dimensions, tensorInfos, 1, 1,
                                    0, 0, 1, 0, nullptr}};
const attn_parameter_info parameters[] = {
    {"p", "p", nullptr, nullptr, nullptr, 1, 0, ATTN_INIT_CONSTANT, ATTN_F32, 0, 0, 0, 0, 0}};

const char *const noModel = "the model is a null pointer", *const noOut = "the place for the weights is a null pointer";

struct Arguments {
  attn_model model = modelOf(entries, 1);
  float element = 1, state[2] = {};
  attn_tensor tensors[1] = {{state, {2}, ATTN_F32, 1}};
  const void *table[1] = {&element};
  int32_t length[2] = {2, 2}, to[2] = {1, 1}, from[2] = {1, 0};
  std::string path = testing::TempDir() + "null-arguments-" + std::to_string(getpid()) + ".safetensors";
  std::string packed = path + ".packed";
  attn_weights *weights = nullptr, *out = nullptr;
  attn_pool *pool = nullptr;
  attn_safetensors *file = nullptr;
  attn_status status = {};
  const attn_executor *serial = attn_serial_executor();
  NullArguments table_of_calls{status, [this] { tidy(); }};

  Arguments() {
    model.parameters = parameters;
    model.parameter_count = model.loaded_count = 1;
    EXPECT_EQ(attn_weights_from_table(&model, table, nullptr, &weights, &status), ATTN_OK) << status.message;
    EXPECT_EQ(attn_weights_save(weights, path.c_str(), 0, &status), ATTN_OK) << status.message;
  }
  ~Arguments() {
    attn_weights_free(weights);
    unlink(path.c_str());
    unlink(packed.c_str());
  }
  void tidy() {
    attn_weights_free(out);
    attn_pool_destroy(pool);
    attn_safetensors_close(file);
    out = nullptr;
    pool = nullptr;
    file = nullptr;
  }
};

void checkCalls(Arguments &a) {
  NullArguments &calls = a.table_of_calls;
  attn_context context = {a.weights, nullptr, nullptr, 0};
  int64_t sizes[1] = {2};
  calls.check("attn_find_entry", attn_find_entry, {&a.model, "next"}, "0", {"-1", "-1"});
  calls.check("attn_run", attn_run, {&a.model, 0, &context, a.tensors, 1, &a.status}, "ok",
              {noModel, "the context is a null pointer", "the list of tensors is a null pointer", "ok"});
  calls.check("attn_infer_dimensions", attn_infer_dimensions, {&a.model, 0, a.tensors, 1, sizes, &a.status}, "ok",
              {noModel, "the list of tensors is a null pointer", "the list of dimensions is a null pointer", "ok"});
  calls.check("attn_size", attn_size, {shape, sizes}, "2", {std::to_string(INT64_MAX), std::to_string(INT64_MAX)});
  calls.check("attn_size_dimension", attn_size_dimension, {shape}, "0", {"-1"});
  calls.check(
      "attn_states_truncate", attn_states_truncate, {&a.model, 0, 2, a.length, a.to, &a.status}, "ok",
      {noModel, "the list of lengths is a null pointer", "the list of lengths to keep is a null pointer", "ok"});
  calls.check("attn_states_reorder", attn_states_reorder, {&a.model, 0, "rows", a.tensors, a.from, &a.status}, "ok",
              {noModel, "the name of the dimension of rows is a null pointer", "the list of states is a null pointer",
               "the list of rows is a null pointer", "ok"});
}

void checkWeights(Arguments &a) {
  NullArguments &calls = a.table_of_calls;
  calls.check("attn_weights_load", attn_weights_load, {&a.model, a.path.c_str(), 0, a.serial, &a.out, &a.status}, "ok",
              {noModel, "the path of a safetensors file is a null pointer", "ok", noOut, "ok"});
  calls.check("attn_weights_initialise", attn_weights_initialise, {&a.model, 1, a.serial, &a.out, &a.status}, "ok",
              {noModel, "ok", noOut, "ok"});
  attn_parameter_info inside = parameters[0];
  inside.embedded = &a.element;
  a.model.parameters = &inside;
  calls.check("attn_weights_embedded", attn_weights_embedded, {&a.model, a.serial, &a.out, &a.status}, "ok",
              {noModel, "ok", noOut, "ok"});
  a.model.parameters = parameters;
  calls.check("attn_weights_from_table", attn_weights_from_table, {&a.model, a.table, a.serial, &a.out, &a.status},
              "ok", {noModel, "m: entry 0 of the parameter table is null", "ok", noOut, "ok"});
  calls.check("attn_weights_free", attn_weights_free, {nullptr}, "nothing", {"nothing"});
  calls.check("attn_weights_repack", attn_weights_repack, {a.weights, a.serial, &a.status}, "ok",
              {"the attn_weights is a null pointer", "ok", "ok"});
  calls.check("attn_weights_save", attn_weights_save, {a.weights, a.path.c_str(), 0, &a.status}, "ok",
              {"the attn_weights is a null pointer", "the path of the file to save to is a null pointer", "ok"});
  calls.check("attn_weights_save_packed", attn_weights_save_packed, {a.weights, a.packed.c_str(), &a.status}, "ok",
              {"the attn_weights is a null pointer", "the path of the file to save to is a null pointer", "ok"});
  calls.check("attn_weights_map", attn_weights_map, {&a.model, a.packed.c_str(), &a.out, &a.status}, "ok",
              {noModel, "the path of a file of packed weights is a null pointer", noOut, "ok"});
  calls.check("attn_is_packed_file", attn_is_packed_file, {a.packed.c_str()}, "1", {"0"});
  calls.check("attn_weights_table", attn_weights_table, {a.weights}, "a pointer", {"null"});
  calls.check("attn_weights_model", attn_weights_model, {a.weights}, "a pointer", {"null"});
  char name[8];
  calls.check("attn_parameter_name", attn_parameter_name, {parameters, 0, name, sizeof name}, "1", {"-1", "1"});
}

void checkFiles(Arguments &a) {
  NullArguments &calls = a.table_of_calls;
  const char bytes[] = "\x02\0\0\0\0\0\0\0{}";
  const char *const noFile = "the place for the file is a null pointer";
  calls.check("attn_safetensors_open", attn_safetensors_open, {a.path.c_str(), &a.file, &a.status}, "ok",
              {"the path of a safetensors file is a null pointer", noFile, "ok"});
  calls.check("attn_safetensors_open_memory", attn_safetensors_open_memory,
              {"memory", bytes, sizeof bytes - 1, &a.file, &a.status}, "ok",
              {"the name of a safetensors file is a null pointer", "the memory of a safetensors file is a null pointer",
               noFile, "ok"});
  attn_safetensors *file = nullptr;
  ASSERT_EQ(attn_safetensors_open(a.path.c_str(), &file, &a.status), ATTN_OK) << a.status.message;
  calls.check("attn_safetensors_count", attn_safetensors_count, {file}, "1", {"0"});
  calls.check("attn_safetensors_at", attn_safetensors_at, {file, 0}, "a pointer", {"null"});
  calls.check("attn_safetensors_find", attn_safetensors_find, {file, "p"}, "a pointer", {"null", "null"});
  float value = 0;
  calls.check("attn_safetensors_read", attn_safetensors_read,
              {file, attn_safetensors_at(file, 0), 0, sizeof value, &value, &a.status}, "ok",
              {"the file is a null pointer", "the tensor to read is a null pointer",
               "the memory to read to is a null pointer", "ok"});
  calls.check("attn_safetensors_object", attn_safetensors_object, {file}, "", {""});
  calls.check("attn_safetensors_close", attn_safetensors_close, {nullptr}, "nothing", {"nothing"});
  attn_safetensors_close(file);
}

void checkTheRest(Arguments &a) {
  NullArguments &calls = a.table_of_calls;
  attn_pool *pool = nullptr;
  ASSERT_EQ(attn_pool_create(1, &pool, &a.status), ATTN_OK) << a.status.message;
  calls.check("attn_pool_create", attn_pool_create, {1, &a.pool, &a.status}, "ok",
              {"the place for the pool is a null pointer", "ok"});
  calls.check("attn_pool_executor", attn_pool_executor, {pool}, "a pointer", {"null"});
  calls.check("attn_pool_destroy", attn_pool_destroy, {nullptr}, "nothing", {"nothing"});
  attn_pool_destroy(pool);
  calls.check("attn_memory_free", attn_memory_free, {nullptr, 64}, "nothing", {"nothing"});
  uint32_t words[4];
  calls.check("attn_random_words", attn_random_words, {1, 2, 3, words}, "nothing", {"nothing"});
}

} // namespace

TEST(NullArguments, AreRefusedByEveryFunction) {
  Arguments a;
  checkCalls(a);
  checkWeights(a);
  checkFiles(a);
  checkTheRest(a);
  std::set<std::string> declared;
  for (const char *folder : {"/runtime/include/attn", "/runtime/files/include/attn", "/runtime/packed/include/attn"})
    for (const auto &header : std::filesystem::directory_iterator(std::string(ATTNC_ROOT) + folder))
      declared.merge(functionsOf(header.path()));
  EXPECT_GT(declared.size(), 25u);
  EXPECT_EQ(a.table_of_calls.functions, declared);
}

} // namespace attnc
