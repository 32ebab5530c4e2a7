#include "compiler/Emit/Record.h"
#include "compiler/Analysis/Decisions.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <map>

using namespace mlir;

namespace attnc {

static constexpr llvm::StringLiteral recordAttrName = "attn.record";

StringRef compilerVersion() { return ATTNC_VERSION " (LLVM " LLVM_VERSION_STRING ")"; }

static DictionaryAttr asAttribute(const RecordedOptions &options, MLIRContext *context) {
  Builder builder(context);
  std::map<std::string, int64_t> last; // the last size of a name counts
  for (const auto &[name, size] : options.at)
    last[name] = size;
  SmallVector<NamedAttribute> sizes;
  for (const auto &[name, size] : last)
    sizes.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(size)));
  return builder.getDictionaryAttr({
      builder.getNamedAttr("at", builder.getDictionaryAttr(sizes)),
      builder.getNamedAttr("debug_lines", builder.getBoolAttr(options.debugLines)),
      builder.getNamedAttr("emitter", builder.getStringAttr(options.emitter)),
      builder.getNamedAttr("prefix", builder.getStringAttr(options.prefix)),
      builder.getNamedAttr("target", builder.getStringAttr(options.target)),
  });
}

static void dropDirectories(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FileLineColRange range) -> std::pair<Attribute, WalkResult> {
    auto name = StringAttr::get(range.getContext(), llvm::sys::path::filename(range.getFilename().getValue()));
    LocationAttr shorter = FileLineColRange::get(name, range.getStartLine(), range.getStartColumn(), range.getEndLine(),
                                                 range.getEndColumn());
    if (auto point = dyn_cast<FileLineColLoc>(LocationAttr(range)))
      shorter = FileLineColLoc::get(name, point.getLine(), point.getColumn());
    return {shorter, WalkResult::skip()};
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false, /*replaceLocs=*/true, /*replaceTypes=*/false);
}

FailureOr<std::string> recordModule(ModuleOp module, const RecordedOptions &options) {
  OwningOpRef<ModuleOp> recorded = module.clone();
  dropDecisions(*recorded); // decisions are for people; later phases do not read them
  (*recorded)->setAttr(recordAttrName, asAttribute(options, module.getContext()));
  if (!options.debugLines)
    dropDirectories(*recorded);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  BytecodeWriterConfig config(compilerVersion());
  if (failed(writeBytecodeToFile(*recorded, stream, config)))
    return failure();
  return bytes;
}

llvm::Expected<RecordedModule> readModule(StringRef bytes, MLIRContext &context) {
  std::string reported;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    reported = reported.empty() ? diagnostic.str() : reported;
    return success();
  });
  // Constants are read in place, aligned.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, moduleSection);
  Block block;
  if (failed(readBytecodeFile(buffer->getMemBufferRef(), &block, ParserConfig(&context))))
    return llvm::createStringError("it can't be read: " + reported);
  auto module = block.empty() ? ModuleOp() : dyn_cast<ModuleOp>(block.front());
  auto record = module ? module->getAttrOfType<DictionaryAttr>(recordAttrName) : DictionaryAttr();
  auto text = [&](StringRef name) { return record ? record.getAs<StringAttr>(name) : StringAttr(); };
  auto at = record ? record.getAs<DictionaryAttr>("at") : DictionaryAttr();
  auto debugLines = record ? record.getAs<BoolAttr>("debug_lines") : BoolAttr();
  if (!at || !debugLines || !text("emitter") || !text("prefix") || !text("target"))
    return llvm::createStringError("it lacks the options of the compile");
  RecordedModule result;
  result.bytes = bytes.str();
  result.options = {text("target").str(), text("prefix").str(), {}, debugLines.getValue(), text("emitter").str()};
  for (NamedAttribute each : at)
    if (auto size = dyn_cast<IntegerAttr>(each.getValue()))
      result.options.at.emplace_back(each.getName().str(), size.getInt());
  module->removeAttr(recordAttrName);
  module->remove();
  result.module = module;
  return result;
}

std::string fingerprintOf(StringRef bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(bytes));
  return llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) + llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

#if !LLVM_ENABLE_ZLIB
#error "attnc needs an LLVM with zlib: records of objects are compressed"
#endif

llvm::Expected<std::string> decompressed(StringRef section) {
  constexpr uint64_t mostRatio = 1032; // of zlib's format
  uint64_t size = section.size() < sizeof(uint64_t) ? 0 : llvm::support::endian::read64le(section.data());
  StringRef stream = section.drop_front(std::min(section.size(), sizeof(uint64_t)));
  std::string content;
  bool isPlausible = size <= mostRatio * stream.size();
  size_t found = isPlausible ? size_t(size) : 0;
  content.resize(found);
  llvm::Error error = isPlausible
                          ? llvm::compression::zlib::decompress(llvm::arrayRefFromStringRef(stream),
                                                                reinterpret_cast<uint8_t *>(content.data()), found)
                          : llvm::createStringError("implausible size");
  bool isWhole = !error && found == size;
  llvm::consumeError(std::move(error));
  return isWhole ? llvm::Expected<std::string>(std::move(content)) : llvm::createStringError("can't be decompressed");
}

static void embed(StringRef content, StringRef section, llvm::Module &code) {
  llvm::SmallVector<uint8_t> stream;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(content), stream,
                                    llvm::compression::zlib::BestSizeCompression);
  std::string bytes(sizeof(uint64_t), 0);
  llvm::support::endian::write64le(bytes.data(), content.size());
  bytes += llvm::toStringRef(stream);
  llvm::embedBufferInModule(code, llvm::MemoryBufferRef(bytes, section), section);
}

void addRecord(StringRef module, StringRef certificate, llvm::Module &code) {
  embed(module, moduleSection, code);
  embed(certificate, certificateSection, code);
}

} // namespace attnc
