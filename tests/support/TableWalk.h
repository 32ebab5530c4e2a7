//===- TableWalk.h - reader of all fields of a model table, for tests of damaged objects --------------------------===//
#pragma once

#include "attn/model.h"
#include "compiler/Emit/ObjectTable.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <cstring>

namespace attnc {

/// Reads a model table as programs do, so that an invalid pointer or count in a table that passed all checks is
/// detected as a crash. Reads texts, counts, sizes and the pointers to phases, and the first and the last byte of
/// embedded values. Functions are not called.
class TableWalk {
public:
  explicit TableWalk(const attn_model &model) {
    text(model.name), text(model.target), text(model.identity);
    for (int64_t n = 0; n < model.entry_count; ++n)
      entry(model.entries[n]);
    for (int64_t n = 0; n < model.parameter_count; ++n)
      parameter(model.parameters[n]);
    for (int64_t n = 0; n < model.kernel_count; ++n)
      kernel(model.kernels[n]);
    for (int64_t n = 0; n < model.packed_count; ++n)
      add(uint64_t(model.packed[n].bytes)), add(uint64_t(model.packed[n].source)), text(model.packed[n].layout);
    for (int64_t n = 0; model.device && n < model.device->image_count; ++n)
      text(model.device->images[n].target), text(model.device->images[n].ptx);
    for (int64_t n = 0; model.device && n < model.device->phase_count; ++n)
      text(model.device->phases[n].name);
  }
  uint64_t sum() const { return total; } ///< a hash of all values that were read

private:
  void add(uint64_t value) { total = total * 31 + value; }
  void text(const char *begin) { add(strlen(begin)); }
  void entry(const attn_entry_info &entry) {
    text(entry.name);
    for (int32_t n = 0; n < entry.dimension_count; ++n)
      text(entry.dimensions[n].name), add(uint64_t(entry.dimensions[n].max));
    for (int32_t n = 0; n < entry.input_count + entry.result_count; ++n) {
      const attn_tensor_info &tensor = entry.tensors[n];
      text(tensor.name);
      for (int32_t axis = 0; axis < tensor.rank; ++axis)
        for (int64_t t = 0; t < tensor.shape[axis].term_count; ++t)
          for (int64_t f = 0; f < tensor.shape[axis].terms[t].factor_count; ++f)
            text(entry.dimensions[tensor.shape[axis].terms[t].factors[f]].name);
    }
  }
  void parameter(const attn_parameter_info &parameter) {
    text(parameter.name), text(parameter.checkpoint);
    int64_t bytes = attn_element_bytes(parameter.dtype);
    for (int32_t n = 0; n < parameter.rank; ++n)
      bytes *= parameter.shape[n];
    for (int32_t n = 0; n < parameter.list_rank; ++n)
      bytes *= parameter.counts[n];
    auto *values = static_cast<const unsigned char *>(parameter.embedded);
    if (values && bytes > 0)
      add(values[0]), add(values[bytes - 1]);
  }
  void kernel(const attn_kernel_info &kernel) {
    text(kernel.name), text(kernel.kind), text(kernel.places);
    for (int32_t n = 0; n < kernel.operand_count + kernel.result_count; ++n)
      for (int32_t axis = 0; axis < kernel.tensors[n].rank; ++axis)
        add(uint64_t(kernel.tensors[n].shape[axis]));
    for (int64_t n = 0; n < kernel.phase_count; ++n)
      add(kernel.phases[n] != nullptr);
  }

  uint64_t total = 0;
};

/// Reads the table of `object`, the bytes of an object file (compiler/Emit/ObjectTable.h), from a copy aligned like a
/// mapped file. Returns the error if the table is invalid; otherwise reads all of its fields.
inline llvm::Error walkTable(llvm::StringRef object) {
  auto file = llvm::MemoryBuffer::getMemBufferCopy(object);
  auto table = ObjectTable::read(file->getBuffer());
  if (!table)
    return table.takeError();
  TableWalk(table->model()).sum();
  return llvm::Error::success();
}

} // namespace attnc
