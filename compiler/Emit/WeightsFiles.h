//===- WeightsFiles.h - files of weights that are read as one -----------------------------------------------------===//
//
// The weights of a model may be in several files, such as those of a network and of an adapter. Together they are one
// file with the tensors of all of them. If several files have a tensor, it is that of the last one.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/safetensors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace attnc {

/// The path of the tensors of an adapter that is a folder (frontends/checkpoint/Adapter.h), otherwise `path`.
std::string pathOfTensors(const std::string &path);

class WeightsFiles {
public:
  /// Opens files, indexes of shards, and folders with either or with an adapter. At least one path.
  static llvm::Expected<WeightsFiles> open(llvm::ArrayRef<std::string> paths);

  attn_safetensors *get() const { return file.get(); }
  const std::string &name() const { return names; } ///< the paths, for messages: "llama, run/adapter"

private:
  using File = std::unique_ptr<attn_safetensors, decltype(&attn_safetensors_close)>;
  WeightsFiles(File file, std::string names) : file(std::move(file)), names(std::move(names)) {}
  static attn_safetensors *merge(std::vector<File> files, const std::string &name);

  File file;
  std::string names;
};

} // namespace attnc
