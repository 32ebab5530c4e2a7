//===- Errors.h - the errors of the library -----------------------------------------------------------------------===//
//
// The library throws these errors, and std::bad_alloc; the functions of attn/tokenizer.h catch them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <stdexcept>
#include <string>

namespace attnc::tokenizer {

/// A file cannot be read, is wrong, or has an entry that is not supported. The message begins with the file's name.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A text cannot be encoded.
struct TextError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace attnc::tokenizer
