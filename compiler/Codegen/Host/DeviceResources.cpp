#include "compiler/Codegen/Host/DeviceResources.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <fmt/format.h>

namespace attnc {

/// Returns the definition of function `name` in PTX text, or an empty text.
static llvm::StringRef definitionOf(llvm::StringRef ptx, llvm::StringRef name) {
  size_t begin = ptx.find((".entry " + name + "(").str());
  return begin == llvm::StringRef::npos ? llvm::StringRef() : ptx.slice(begin, ptx.find("\n}", begin));
}

static bool mentions(llvm::StringRef text, llvm::StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  for (size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1))
    if ((at == 0 || !isPart(text[at - 1])) && (at + name.size() == text.size() || !isPart(text[at + name.size()])))
      return true;
  return false;
}

int64_t staticSharedBytes(llvm::StringRef ptx, llvm::StringRef name) {
  llvm::StringRef definition = definitionOf(ptx, name);
  int64_t bytes = 0, dynamicAlignment = 1;
  // Shared memory such as ".shared .align 16 .b8 rows_0$sums[1024];", declared before functions or in one. With
  // ".extern " it is dynamic shared memory, which follows the static one.
  for (llvm::StringRef rest = ptx, line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    line = line.trim();
    bool isDynamic = line.consume_front(".extern ");
    int64_t alignment = 0, size = 0;
    if (!line.consume_front(".shared .align ") || line.consumeInteger(10, alignment))
      continue;
    auto [array, length] = line.split(".b8 ").second.split('[');
    if (!mentions(definition, array))
      continue;
    if (isDynamic)
      dynamicAlignment = std::max(dynamicAlignment, alignment);
    else if (!length.consumeInteger(10, size))
      bytes = llvm::alignTo(bytes, alignment) + size;
  }
  return llvm::alignTo(bytes, dynamicAlignment);
}

namespace {

/// Resources of a multiprocessor that its resident blocks share.
struct DeviceProcessor {
  int64_t threads, blocks, sharedBytes;
};

} // namespace

/// The limits of an architecture such as sm_90a.
static std::optional<DeviceProcessor> processorOf(llvm::StringRef architecture) {
  architecture.consume_front("sm_");
  return llvm::StringSwitch<std::optional<DeviceProcessor>>(architecture.rtrim("af"))
      .Case("80", DeviceProcessor{2048, 32, 164 * 1024})
      .Case("86", DeviceProcessor{1536, 16, 100 * 1024})
      .Case("89", DeviceProcessor{1536, 24, 100 * 1024})
      .Case("90", DeviceProcessor{2048, 32, 228 * 1024})
      .Case("100", DeviceProcessor{2048, 32, 228 * 1024})
      .Default(std::nullopt);
}

std::optional<int64_t> blocksAtATime(llvm::StringRef architecture, int64_t threads, int64_t registers,
                                     int64_t sharedBytes) {
  constexpr int64_t allRegisters = 65536, parts = 4, warp = 32, registerUnit = 256;
  constexpr int64_t reservedBytes = 1024, sharedUnit = 128;
  std::optional<DeviceProcessor> processor = processorOf(architecture);
  if (!processor)
    return std::nullopt;
  int64_t warps = llvm::divideCeil(threads, warp);
  int64_t registersOfWarp = llvm::alignTo(std::max<int64_t>(registers, 1) * warp, registerUnit);
  int64_t warpsByRegisters = parts * (allRegisters / parts / registersOfWarp);
  int64_t bytesOfBlock = llvm::alignTo(sharedBytes + reservedBytes, sharedUnit);
  return std::min({processor->blocks, processor->threads / (warps * warp), warpsByRegisters / warps,
                   processor->sharedBytes / bytesOfBlock});
}

std::vector<PhaseResources> resourcesOf(const Program &program, const Ptxas *ptxas, std::string *problem) {
  std::vector<PhaseResources> all;
  for (const DeviceImage &image : program.images) {
    std::vector<FunctionResources> assembled;
    if (ptxas) {
      Ptxas::Report report = ptxas->assemble(image.ptx, image.architecture);
      assembled = std::move(report.functions);
      if (report.exitCode != 0 && problem)
        *problem = report.output;
    }
    auto add = [&](llvm::StringRef kernel, const KernelPhase &phase) {
      if (definitionOf(image.ptx, phase.symbol).empty())
        return;
      PhaseResources &each = all.emplace_back();
      each.kernel = kernel.str();
      each.phase = phase.symbol;
      each.architecture = image.architecture;
      each.threads = phase.threads;
      each.staticBytes = staticSharedBytes(image.ptx, phase.symbol);
      each.launchBytes = phase.blockBytes;
      for (const FunctionResources &found : assembled)
        if (found.function == phase.symbol) {
          each.assembled = found;
          each.blocks =
              blocksAtATime(image.architecture, phase.threads, found.registers, found.sharedBytes + phase.blockBytes);
        }
    };
    for (const CompiledKernel &kernel : program.kernels)
      for (const KernelPhase &phase : kernel.code.phases)
        add(mlir::func::FuncOp(kernel.function).getName(), phase);
    for (const MovePhase &move : program.moves)
      add("", move.phase);
  }
  return all;
}

void printResources(llvm::ArrayRef<PhaseResources> resources, llvm::raw_ostream &out) {
  bool isKnown = any_of(resources, [](const PhaseResources &each) { return each.assembled.has_value(); });
  out << "on a device, of a block" << (isKnown ? "" : " (registers, stack and spills are unknown without ptxas)")
      << ":\n";
  out << fmt::format("  {:<32} {:<8} {:>7} {:>17}", "function", "for", "threads", "shared + launch's");
  out << (isKnown ? fmt::format(" {:>9} {:>6} {:>7} {:>16}\n", "registers", "stack", "spilled", "blocks at a time")
                  : "\n");
  for (const PhaseResources &each : resources) {
    out << fmt::format("  {:<32} {:<8} {:>7} {:>17}", each.phase, each.architecture, each.threads,
                       fmt::format("{} + {}", each.staticBytes, each.launchBytes));
    if (each.assembled)
      out << fmt::format(" {:>9} {:>6} {:>7} {:>16}", each.assembled->registers, each.assembled->stackBytes,
                         each.assembled->spillBytes, each.blocks ? std::to_string(*each.blocks) : "unknown");
    out << "\n";
  }
}

} // namespace attnc
