//===- ParameterNames.h - names of a model's parameters in files of weights ---------------------------------------===//
#pragma once

#include "attn/model.h"
#include <string>

namespace attnc {

/// The number of entries of a parameter: the product of the lengths of the lists around it.
int64_t entryCount(const attn_parameter_info &info);
/// The name of an entry (attn_parameter_name): "blocks.2.norm1.gain".
std::string parameterName(const attn_parameter_info &info, int64_t entry);

} // namespace attnc
