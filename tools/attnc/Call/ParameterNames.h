//===- ParameterNames.h - names of a model's parameters in files of weights ---------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace attnc {

/// The number of entries of a parameter: the product of the lengths of the lists around it.
int64_t entryCount(const attn_parameter_info &info);
/// The name of an entry (attn_parameter_name): "blocks.2.norm1.gain".
std::string parameterName(const attn_parameter_info &info, int64_t entry);
/// The names of the tensors of an entry in files: of the entry, or of its parts if it has any (attn/files.h). The
/// tensors lie one after the other in the value.
std::vector<std::string> tensorNames(const attn_parameter_info &info, int64_t entry);
/// The shape of each of these tensors.
llvm::ArrayRef<int64_t> tensorShape(const attn_parameter_info &info);

} // namespace attnc
