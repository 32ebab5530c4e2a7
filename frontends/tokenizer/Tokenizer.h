//===- Tokenizer.h - the parts of a tokenizer together ------------------------------------------------------------===//
//
// attn/tokenizer.h describes the steps. Calls on one tokenizer may run in parallel: each call leases the memory that it
// writes from a pool, so the number of memories is the largest number of simultaneous calls. A memory has a cache of
// pieces.
//
// Byte-level models are written in an alphabet of characters for bytes. If the model supports it, encoding omits the
// replacement of bytes by these characters.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/AddedTokens.h"
#include "frontends/tokenizer/Decoder.h"
#include "frontends/tokenizer/Model.h"
#include "frontends/tokenizer/PostProcessor.h"
#include "frontends/tokenizer/PreTokenizer.h"
#include <mutex>
#include <span>

namespace attnc::tokenizer {

class Tokenizer {
public:
  /// Reads the content of a tokenizer.json; `name` is the name of the file in messages. Throws a FileError.
  Tokenizer(const std::string &name, std::string_view content);
  ~Tokenizer();

  /// Appends the ids of a text of any bytes, with the special tokens of the post-processor if `withSpecial`. Throws a
  /// TextError.
  void encode(std::string_view text, bool withSpecial, std::vector<int32_t> &ids) const;
  /// The text of the ids, without special tokens unless `withSpecial`. Ids without a token are left out.
  std::string decode(std::span<const int32_t> ids, bool withSpecial) const;

  int32_t size() const { return std::max(model->tokens().size(), added->size()); } ///< largest id plus one
  int32_t id(std::string_view token) const;   ///< TokenTable::none if there is none
  const std::string *token(int32_t id) const; ///< null if there is none
  bool isSpecial(int32_t id) const { return added->isSpecial(id); }

private:
  struct Memory;
  class Lease;
  void encodeText(std::string_view text, bool isStart, Memory &memory, std::vector<int32_t> &ids) const;
  void encodePieces(std::string_view text, bool isStart, Memory &memory, std::vector<int32_t> &ids) const;
  void encodePiece(std::string_view piece, Memory &memory, std::vector<int32_t> &ids) const;

  std::unique_ptr<Normalizer> normalizer; ///< may be null, as may the next
  std::unique_ptr<PreTokenizer> preTokenizer;
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<Model> model;
  std::unique_ptr<AddedTokens> added;
  std::unique_ptr<PostProcessor> postProcessor;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Memory>> idle;
  mutable size_t memories = 0; ///< in use and idle
};

/// The content of a file. Throws a FileError.
std::string readFile(const std::string &path);

} // namespace attnc::tokenizer
