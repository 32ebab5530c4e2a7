#include "tools/attnc/Oracle.h"
#include "compiler/Reference/Reference.h"
#include "compiler/Reference/Tolerance.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace attnc {

static reference::Element elementOf(int32_t dtype) {
  return dtype == ATTN_F32   ? reference::Element::F32
         : dtype == ATTN_I32 ? reference::Element::I32
                             : reference::Element::I1;
}

static reference::Array arrayOf(int32_t dtype, ArrayRef<int64_t> shape, const void *data) {
  reference::Array result(elementOf(dtype), shape);
  for (size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = dtype == ATTN_F32   ? static_cast<const float *>(data)[i]
                       : dtype == ATTN_I32 ? static_cast<const int32_t *>(data)[i]
                                           : static_cast<const char *>(data)[i] != 0;
  return result;
}

reference::Parameters parametersOf(const Invocation &call) {
  reference::Parameters result;
  for (int64_t p = 0; p < call.model.parameter_count; ++p) {
    const attn_parameter_info &info = call.model.parameters[p];
    int64_t entries = 1;
    for (int32_t d = 0; d < info.list_rank; ++d)
      entries *= info.counts[d];
    for (int64_t entry = 0; entry < entries; ++entry) {
      char name[256];
      attn_parameter_name(&info, entry, name, sizeof name);
      result[name] = arrayOf(info.dtype, ArrayRef<int64_t>(info.shape, info.rank),
                             attn_weights_table(call.context.weights)[info.first + entry]);
    }
  }
  return result;
}

static double differenceOf(double compiled, double exact) {
  if (std::isnan(exact) || std::isinf(exact))
    return (std::isnan(exact) && std::isnan(compiled)) || compiled == exact ? 0 : HUGE_VAL;
  return std::isfinite(compiled) ? std::fabs(compiled - exact) : HUGE_VAL;
}

double Deviation::limit(double c) const {
  return isReal ? reference::tolerance(c, static_cast<double>(terms)) * largest : 0;
}

Expected<std::vector<Deviation>> compareWithOracle(const CompileOptions &options, const Invocation &call,
                                                   const reference::Parameters &before) {
  CompileOptions derivedOnly = options;
  derivedOnly.dump = Phase::Derive;
  Compilation made;
  std::string messages;
  raw_string_ostream stream(messages);
  if (compile(derivedOnly, made, stream) != Outcome::Done)
    return createStringError(messages);
  auto function = made.module->lookupSymbol<mlir::func::FuncOp>(call.entry->name);
  if (!function)
    return createStringError("the model file has no entry point '" + Twine(call.entry->name) + "'");
  std::vector<reference::Array> inputs;
  for (int32_t i = 0; i < call.entry->input_count; ++i)
    inputs.push_back(arrayOf(call.tensors[i].dtype, call.tensors[i].shape, call.tensors[i].bytes.data()));
  auto exact = reference::interpret(function, inputs, before);
  if (!exact)
    return exact.takeError();
  std::vector<Deviation> result;
  for (auto [i, array] : enumerate(*exact)) {
    // A state is compared as it is afterwards; the oracle began with that too, for to append the same again changes
    // nothing.
    bool isState = i >= size_t(call.entry->result_count);
    size_t number = call.entry->input_count + i - (isState ? call.entry->result_count + call.entry->state_count : 0);
    const HostTensor &compiled = call.tensors[number];
    Deviation deviation;
    deviation.result = call.entry->tensors[number].name;
    deviation.isReal = array.element == reference::Element::F32;
    deviation.largest = reference::largestMagnitude(array.values);
    deviation.terms = array.terms;
    if (array.values.size() > 1 && all_equal(array.values))
      deviation.constant = array.values[0];
    for (size_t k = 0; k < array.values.size(); ++k)
      deviation.difference = std::max(deviation.difference, differenceOf(compiled.at(k), array.values[k]));
    result.push_back(deviation);
  }
  return result;
}

} // namespace attnc
