//===- TokenizerFile.h - small tokenizer.json files of tests ------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Tokenizer.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace attnc::tokenizer {

/// An object with the entry `model` and the entries of `more`, which are JSON: "\"decoder\": {...}".
inline std::string fileOf(const std::string &model, const std::string &more = "") {
  return "{\"version\": \"1.0\", \"model\": " + model + (more.empty() ? "" : ", " + more) + "}";
}

/// A model in which each character of `characters` is a token, by its position from 1 on, and 0 is unknown.
inline std::string characterModel(const std::string &characters) {
  nlohmann::json vocabulary = {{"?", 0}};
  for (size_t i = 0; i < characters.size(); ++i)
    vocabulary[std::string(1, characters[i])] = i + 1;
  return "{\"type\": \"BPE\", \"unk_token\": \"?\", \"merges\": [], \"vocab\": " + vocabulary.dump() + "}";
}

inline std::vector<int32_t> encode(const std::string &file, std::string_view text, bool withSpecial = false) {
  std::vector<int32_t> ids;
  Tokenizer("t.json", file).encode(text, withSpecial, ids);
  return ids;
}

/// The message of the error on opening a file, or "ok".
inline std::string messageOf(const std::string &file) {
  try {
    Tokenizer("t.json", file);
    return "ok";
  } catch (const FileError &error) {
    return error.what();
  }
}

using Ids = std::vector<int32_t>;

} // namespace attnc::tokenizer
