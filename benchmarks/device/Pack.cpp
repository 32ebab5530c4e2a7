#include "benchmarks/device/Pack.h"
#include "benchmarks/device/DeviceCheck.h"
#include "benchmarks/device/Results.h"
#include "compiler/Diagnostics/Spelling.h"
#include "compiler/Emit/Link.h"
#include "compiler/Pipeline/Compile.h"
#include "tools/attnc/Call/InputRanges.h"
#include "tools/attnc/Call/Invocation.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Call/Oracle.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace attnc::device {

namespace {

using Json = nlohmann::json;

void require(llvm::Error error) {
  if (error)
    throw std::runtime_error(llvm::toString(std::move(error)));
}

template <class T> T require(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

Precision precisionNamed(const std::string &name) {
  for (Precision each : {Precision::F32, Precision::BF16, Precision::F16, Precision::TF32})
    if (nameOf(each) == name)
      return each;
  throw std::runtime_error(name + " is no precision");
}

std::vector<std::string> kindsOf(const Compilation &made, const std::string &entry) {
  std::set<std::string> kinds;
  for (const CompiledKernel &kernel : made.program.kernels)
    for (const KernelLaunch &launch : kernel.launches)
      if (launch.entry == entry)
        kinds.insert(mlir::func::FuncOp(kernel.function)->getAttrOfType<mlir::StringAttr>(kernelAttrName).str());
  return {kinds.begin(), kinds.end()};
}

/// Throws unless `word`, the value of `key` in `each`, is one of `known`.
void requireKnown(const Json &each, const std::string &word, const char *key, const std::vector<std::string> &known) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw std::runtime_error(fmt::format("{}: {} is '{}', expected one of {}", each.at("name").get<std::string>(), key,
                                         word, fmt::join(known, ", ")));
}

void requireKnown(const Json &each) {
  requireKnown(each, each.at("kind"), "kind", {"attention", "decode", "gemm"});
  requireKnown(each, each.at("unit"), "unit", {"C", "B", "flex"});
  for (const Json &peer : each.at("peers"))
    requireKnown(each, peer, "a peer", {"flash", "cudnn", "flex", "triton"});
}

LoadedModel load(const Compilation &made, const std::string &name) {
  llvm::StringRef object(made.object.data(), made.object.size());
  return require(LoadedModel::fromObject(llvm::MemoryBuffer::getMemBufferCopy(object, name)));
}

class Packer {
public:
  Packer(const Json &cases, const std::string &root, const std::string &folder)
      : cases(cases), root(root), folder(folder) {
    llvm::sys::fs::create_directories(folder + "/models");
    llvm::sys::fs::create_directories(folder + "/checks");
    llvm::sys::fs::remove(folder + "/packed.jsonl");
  }

  void packChecks(const std::string &only) {
    Json calls = Json::array();
    for (const Json &each : cases.at("checks"))
      if (each.at("model").get<std::string>().find(only) != std::string::npos)
        for (const std::string precision : each.at("precisions"))
          packCheck(each, precision, calls);
    std::ofstream(folder + "/checks.json") << calls.dump(1) << '\n';
    llvm::outs() << calls.size() << " calls\n";
    remember({{"what", "packed"}, {"calls", calls.size()}});
  }

  void packMeasures(const std::string &only) {
    Json packed = cases, &measures = packed.at("measures");
    std::erase_if(measures.get_ref<Json::array_t &>(),
                  [&](const Json &each) { return each.at("name").get<std::string>().find(only) == std::string::npos; });
    for (Json &each : measures) {
      requireKnown(each);
      SourceOptions source = sourceOf(each, "bf16");
      source.compile.entries = {each.at("entry").get<std::string>()};
      Compilation made;
      compileTo(source, made, each.at("name"));
      requireNoInputs(made, each);
      each["library"] = "models/" + each.at("name").get<std::string>() + ".so";
      each["symbol"] = made.program.tableSymbol();
    }
    std::ofstream(folder + "/cases.json") << packed.dump(1) << '\n';
    remember({{"what", "time"}, {"case", "compile"}, {"by", "attnc"}, {"seconds", compileSeconds()}});
  }

private:
  void remember(const Json &line) const { append(folder + "/packed.jsonl", line); }

  static void requireNoInputs(const Compilation &made, const Json &each) {
    std::string name = each.at("name"), entry = each.at("entry");
    LoadedModel loaded = load(made, name);
    const attn_entry_info &info = loaded.model().entries[attn_find_entry(&loaded.model(), entry.c_str())];
    if (info.input_count > 0 || info.dimension_count > 0)
      throw std::runtime_error(fmt::format("{}: entry point {} has inputs or dimensions, expected none: what is timed "
                                           "has parameters and settings for operands and sizes",
                                           name, entry));
  }

  SourceOptions sourceOf(const Json &each, const std::string &precision) const {
    SourceOptions source;
    source.compile.input = root + "/" + each.at("model").get<std::string>();
    source.compile.target = "cuda";
    source.compile.reproducerDirectory = "";
    source.compile.precision = precisionNamed(precision);
    if (each.contains("settings"))
      for (const auto &[name, value] : each.at("settings").items())
        source.compile.settings.emplace_back(name, value.dump());
    return source;
  }

  /// Compiles a model and links the object to models/NAME.so.
  void compileTo(const SourceOptions &source, Compilation &made, const std::string &name) const {
    if (compile(source.compile, made, llvm::errs()) != Outcome::Done)
      throw std::runtime_error(source.input() + " does not compile");
    std::string base = folder + "/models/" + name;
    std::ofstream(base + ".o", std::ios::binary).write(made.object.data(), std::streamsize(made.object.size()));
    require(linkShared(base + ".o", base + ".so", name + ".so"));
    llvm::sys::fs::remove(base + ".o");
  }

  std::string nameFor(const Json &each, const std::string &precision) {
    std::string name = llvm::sys::path::stem(each.at("model").get<std::string>()).str() + "-" + precision;
    int number = ++taken[name];
    return number == 1 ? name : fmt::format("{}-{}", name, number);
  }

  void packCheck(const Json &each, const std::string &precision, Json &calls) {
    SourceOptions source = sourceOf(each, precision);
    std::string name = nameFor(each, precision);
    Compilation made;
    compileTo(source, made, name);
    std::unique_ptr<Compilation> written = require(compileAsWritten(source.compile));
    LoadedModel loaded = load(made, name);
    for (int64_t number = 0; number < loaded.model().entry_count; ++number) {
      const attn_entry_info &entry = loaded.model().entries[number];
      if (entry.updates || !isAskedFor(each, entry.name))
        continue;
      Json call = {{"name", name + "." + entry.name},
                   {"library", "models/" + name + ".so"},
                   {"symbol", made.program.tableSymbol()},
                   {"entry", entry.name},
                   {"kinds", fmt::format("{}", fmt::join(kindsOf(made, entry.name), ", "))}};
      try {
        InvocationOptions options = optionsOf(each, *written, entry);
        auto invocation = require(Invocation::create(loaded.model(), options));
        std::vector<Answer> answers = require(answersOf(*written, made, source.compile.precision, *invocation));
        if (!packResults(answers, call))
          continue;
        call["dimensions"] = invocation->dimensions;
        for (int32_t number = 0; number < entry.input_count; ++number)
          call["bounds"].push_back(invocation->drawnInput(number, options).bound);
      } catch (const std::exception &error) {
        throw std::runtime_error(fmt::format("{}: {}", call.at("name").get<std::string>(), error.what()));
      }
      calls.push_back(call);
    }
  }

  /// True if an entry point is checked: it is in `entries`, if that is given, and not in `without`.
  static bool isAskedFor(const Json &each, const std::string &entry) {
    auto lists = [&](const char *key) {
      const Json &names = each.at(key);
      return std::find(names.begin(), names.end(), entry) != names.end();
    };
    return (!each.contains("entries") || lists("entries")) && (!each.contains("without") || !lists("without"));
  }

  static InvocationOptions optionsOf(const Json &each, const Compilation &written, const attn_entry_info &entry) {
    constexpr int64_t usualSize = 19;
    InvocationOptions options;
    options.entry = entry.name;
    options.fillMissing = true;
    options.seed = packedSeed;
    options.ranges = inputRanges(*written.module, entry.name);
    for (const attn_dimension_info &dimension : llvm::ArrayRef(entry.dimensions, entry.dimension_count)) {
      int64_t size = each.contains("sizes") ? each.at("sizes").value(dimension.name, usualSize) : usualSize;
      options.dims.push_back(fmt::format("{}={}", dimension.name, size));
    }
    return options;
  }

  /// Writes the oracle's results. Integer results must be equal on the device, so a call is omitted if the rounding of
  /// stored tensors decides one of them, such as a choice between nearly equal values.
  bool packResults(const std::vector<Answer> &answers, Json &call) {
    std::vector<std::pair<std::string, HostTensor>> tensors;
    for (const Answer &answer : answers) {
      if (!answer.allowed.isReal && answer.allowed.storage > 0) {
        llvm::outs() << call.at("name").get<std::string>() << " is left out: rounding decides " << answer.allowed.name
                     << "\n";
        return false;
      }
      attn_dtype dtype = answer.exact.element == reference::Element::F32  ? ATTN_F32
                         : answer.exact.element == reference::Element::I1 ? ATTN_BOOL
                                                                          : ATTN_I32;
      HostTensor stored(dtype, {answer.exact.shape.begin(), answer.exact.shape.end()});
      for (size_t place = 0; place < answer.exact.values.size(); ++place)
        stored.set(int64_t(place), answer.exact.values[place]);
      tensors.emplace_back(answer.allowed.name, std::move(stored));
      call["limits"][answer.allowed.name] = answer.allowed.limit(allowedFactor);
    }
    call["file"] = write(tensors);
    return true;
  }

  /// Writes a file named by a hash of its content, because the exact results of a model are equal for all precisions.
  std::string write(const std::vector<std::pair<std::string, HostTensor>> &tensors) const {
    std::string written = folder + "/checks/written.safetensors";
    require(writeTensors(written, tensors));
    std::ifstream stored(written, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(stored), {});
    std::string name = "checks/" + llvm::toHex(llvm::SHA1::hash(llvm::arrayRefFromStringRef(bytes))) + ".safetensors";
    require(llvm::errorCodeToError(llvm::sys::fs::rename(written, folder + "/" + name)));
    return name;
  }

  double compileSeconds() const {
    SourceOptions source = sourceOf(cases.at("compile"), "bf16");
    source.compile.entries = {cases.at("compile").at("entry").get<std::string>()};
    source.compile.dump = Phase::Emit;
    auto from = std::chrono::steady_clock::now();
    Compilation made;
    if (compile(source.compile, made, llvm::errs()) != Outcome::Done)
      throw std::runtime_error(source.input() + " does not compile");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  }

  static constexpr double allowedFactor = 8; ///< c of compiler/Reference/Tolerance.h, as for `attnc run --check`
  const Json &cases;
  std::string root, folder;
  std::map<std::string, int> taken;
};

} // namespace

/// Throws unless a name contains `only`; an empty selection would go unnoticed.
static void requireNamed(const Json &wanted, const std::string &only) {
  std::set<std::string> names;
  for (const Json &each : wanted.at("checks"))
    names.insert(each.at("model").get<std::string>());
  for (const Json &each : wanted.at("measures"))
    names.insert(each.at("name").get<std::string>());
  auto has = [&](const std::string &name) { return name.find(only) != std::string::npos; };
  if (only.empty() || std::any_of(names.begin(), names.end(), has))
    return;
  std::vector<std::string> words; // stems of models are accepted, too
  for (const std::string &name : names)
    words.push_back(llvm::sys::path::stem(name).str());
  std::optional<std::string> meant = nearest(only, words);
  throw std::runtime_error(fmt::format("--only: no model's path and no case's name has '{}'; {}", only,
                                       meant ? fmt::format("did you mean '{}'?", *meant)
                                             : fmt::format("there are {}", fmt::join(names, ", "))));
}

void pack(const std::string &cases, const std::string &root, const std::string &folder, const std::string &only) {
  Json wanted = readJson(cases);
  requireNamed(wanted, only);
  Packer packer(wanted, root, folder);
  packer.packChecks(only);
  packer.packMeasures(only);
}

} // namespace attnc::device
