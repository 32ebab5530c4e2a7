#include "compiler/Codegen/Halide/Compile/Declarations.h"
#include "compiler/ElementTypes/ElementTable.h"
#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Bitstream/BitstreamWriter.h"
#include <map>

namespace attnc::halide {

namespace bitc = llvm::bitc;

/// The data layout of x86-64 in Halide's LLVM; another one causes a warning.
static constexpr char dataLayout[] = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128";

namespace {

/// The element types of a function: operands, then result.
using Signature = std::vector<attn_dtype>;

class ModuleWriter {
public:
  ModuleWriter() : writer(bytes) {}

  std::vector<uint8_t> write(const std::map<std::string, Signature> &operations, int64_t lanes) {
    for (unsigned byte : {0x42, 0x43, 0xC0, 0xDE}) // "BC"
      writer.Emit(byte, 8);
    writer.EnterSubblock(bitc::MODULE_BLOCK_ID, /*CodeLen=*/3);
    record(bitc::MODULE_CODE_VERSION, {1});
    record(bitc::MODULE_CODE_DATALAYOUT, {std::begin(dataLayout), std::end(dataLayout) - 1});
    std::vector<std::string> names = declareFunctions(operations, lanes);
    writer.EnterSubblock(bitc::VALUE_SYMTAB_BLOCK_ID, /*CodeLen=*/4);
    for (size_t function = 0; function < names.size(); ++function) {
      std::vector<uint64_t> entry = {function};
      entry.insert(entry.end(), names[function].begin(), names[function].end());
      record(bitc::VST_CODE_ENTRY, entry);
    }
    writer.ExitBlock();
    for (size_t function = 0; function < names.size(); ++function) {
      writer.EnterSubblock(bitc::FUNCTION_BLOCK_ID, /*CodeLen=*/4);
      record(bitc::FUNC_CODE_DECLAREBLOCKS, {1});
      record(bitc::FUNC_CODE_INST_UNREACHABLE, {});
      writer.ExitBlock();
    }
    writer.ExitBlock();
    return {bytes.begin(), bytes.end()};
  }

private:
  void record(unsigned code, const std::vector<uint64_t> &values) {
    writer.EmitRecord(code, llvm::ArrayRef<uint64_t>(values));
  }

  /// Writes the types, then the functions. Returns their names in order.
  std::vector<std::string> declareFunctions(const std::map<std::string, Signature> &operations, int64_t lanes) {
    std::vector<std::pair<unsigned, std::vector<uint64_t>>> types = {{bitc::TYPE_CODE_FLOAT, {}},
                                                                     {bitc::TYPE_CODE_INTEGER, {32}}};
    std::vector<uint64_t> functions;
    std::vector<std::string> names;
    for (int64_t width = 2; width <= lanes; width *= 2) {
      // Vector types of both element types, which have the numbers 0 and 1.
      uint64_t vectors = types.size();
      for (uint64_t element : {0, 1})
        types.push_back({bitc::TYPE_CODE_VECTOR, {static_cast<uint64_t>(width), element}});
      for (const auto &[name, signature] : operations) {
        auto typeOf = [&](attn_dtype element) { return vectors + (element == ATTN_F32 ? 0 : 1); };
        std::vector<uint64_t> type = {/*vararg=*/0, typeOf(signature.back())};
        for (size_t operand = 0; operand + 1 < signature.size(); ++operand)
          type.push_back(typeOf(signature[operand]));
        functions.push_back(types.size());
        types.push_back({bitc::TYPE_CODE_FUNCTION, type});
        names.push_back(name + "x" + std::to_string(width));
      }
    }
    writer.EnterSubblock(bitc::TYPE_BLOCK_ID_NEW, /*CodeLen=*/4);
    record(bitc::TYPE_CODE_NUMENTRY, {types.size()});
    for (const auto &[code, values] : types)
      record(code, values);
    writer.ExitBlock();
    constexpr uint64_t weak = 16;
    for (uint64_t type : functions)
      record(bitc::MODULE_CODE_FUNCTION, {type, /*calling convention=*/0, /*declares=*/0, weak, /*attributes=*/0,
                                          /*alignment=*/0, /*section=*/0, /*visibility=*/0});
    return names;
  }

  llvm::SmallVector<char, 0> bytes;
  llvm::BitstreamWriter writer;
};

} // namespace

std::string functionOf(const Node &node) {
  return node.op == Op::Checked    ? checkName
         : node.op == Op::Repeated ? repeatName
                                   : operationPrefix + std::to_string(*node.operation);
}

std::vector<uint8_t> declareCalls(const Stage &stage, int64_t lanes) {
  std::map<std::string, Signature> operations;
  for (const Node &node : stage.nodes) {
    if (node.op != Op::Call && node.op != Op::Checked && node.op != Op::Repeated)
      continue;
    Signature signature;
    for (unsigned operand : node.operands)
      signature.push_back(stage.nodes[operand].element);
    signature.push_back(node.element);
    operations[functionOf(node)] = signature;
  }
  for (const Buffer &buffer : stage.buffers)
    if (narrowFormat(buffer.element))
      operations[widenPrefix + elementTypeName(buffer.element).str()] = {ATTN_I32, ATTN_F32};
  if (narrowFormat(stage.element))
    operations[narrowPrefix + elementTypeName(stage.element).str()] = {ATTN_F32, ATTN_I32};
  return operations.empty() || lanes < 2 ? std::vector<uint8_t>() : ModuleWriter().write(operations, lanes);
}

} // namespace attnc::halide
