#include "compiler/Predict/Machine.h"
#include "compiler/Json/InputBuffer.h"
#include "compiler/Json/Json.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace attnc {

namespace {

struct RateNumber {
  llvm::StringLiteral key;
  double Machine::*value;
};

struct LevelNumber {
  llvm::StringLiteral key;
  double MemoryLevel::*value;
};

} // namespace

static constexpr RateNumber numbers[] = {
    {"fma", &Machine::fma},
    {"arithmetic", &Machine::arithmetic},
    {"narrow", &Machine::narrow},
    {"divide", &Machine::divide},
    {"root", &Machine::root},
    {"shuffle", &Machine::shuffle},
    {"load", &Machine::load},
    {"broadcast", &Machine::broadcast},
    {"store", &Machine::store},
    {"gather", &Machine::gather},
    {"scalar", &Machine::scalar},
    {"scalar_divide", &Machine::scalarDivide},
    {"issue", &Machine::issue},
    {"latency", &Machine::latency},
    {"sum_latency", &Machine::sumLatency},
    {"forward", &Machine::forward},
    {"sleep", &Machine::sleep},
    {"wake", &Machine::wake},
    {"drowsy", &Machine::drowsy},
    {"keeps", &Machine::keeps},
    {"launch", &Machine::launch},
    {"chunk", &Machine::chunk},
};
static constexpr LevelNumber levelNumbers[] = {
    {"read", &MemoryLevel::read},       {"write", &MemoryLevel::write}, {"read_by_all", &MemoryLevel::readByAll},
    {"latency", &MemoryLevel::latency}, {"call", &MemoryLevel::call},   {"code_line", &MemoryLevel::codeLine}};

const MemoryLevel &Machine::levelOf(int64_t size) const {
  for (const MemoryLevel &level : levels)
    if (size <= level.bytes)
      return level;
  return levels.back();
}

double Machine::secondsAt(int64_t size, double MemoryLevel::*kind) const {
  // Levels are measured at about half of their capacity, memory at four times that of the last cache.
  auto measuredAt = [&](size_t level) {
    return level + 1 < levels.size() || level == 0 ? double(levels[level].bytes) / 2
                                                   : 4 * double(levels[level - 1].bytes);
  };
  for (size_t level = 0; level < levels.size(); ++level) {
    double at = measuredAt(level);
    if (double(size) > at)
      continue;
    if (level == 0)
      return levels[0].*kind;
    double before = measuredAt(level - 1), share = std::log(double(size) / before) / std::log(at / before);
    return levels[level - 1].*kind + share * (levels[level].*kind - levels[level - 1].*kind);
  }
  return levels.back().*kind;
}

double Machine::forgotten(double seconds) const {
  // The share grows from 0 at half of `keeps` to 1 at twice that time.
  return seconds <= 0 ? 0 : std::clamp(0.5 + 0.5 * std::log2(seconds / keeps), 0.0, 1.0);
}

Machine defaultMachine(int64_t lanes) {
  // A core at 3 GHz with two fused multiply-adds a cycle.
  constexpr double clock = 3e9;
  Machine machine;
  machine.name = "a core at 3 GHz";
  machine.origin = llvm::formatv("defaults for vectors of {0} floats; `attnc machine` measures this one", lanes).str();
  machine.lanes = lanes;
  machine.fma = machine.load = machine.broadcast = 2 * clock;
  machine.arithmetic = machine.narrow = 2.5 * clock;
  machine.divide = clock / 8;
  machine.root = clock / 16;
  machine.shuffle = machine.store = clock;
  machine.gather = lanes >= 16 ? 2 * clock : clock;
  machine.scalar = 4 * clock;
  machine.scalarDivide = clock / 10;
  machine.issue = 6 * clock;
  machine.latency = machine.sumLatency = 4 / clock;
  machine.forward = 20 / clock;
  machine.sleep = machine.keeps = 10; // effectively for ever
  machine.wake = 1e-12;
  machine.drowsy = 1;
  machine.launch = 50e-9;
  machine.chunk = 5e-9;
  double vector = 4 * double(lanes);
  machine.levels = {
      {"L1", 32 << 10, 2 * clock * vector, clock * vector, 2 * clock * vector, 5 / clock, 8 / clock, 2 / clock},
      {"L2", 1 << 20, clock * vector, clock * vector / 2, clock * vector, 15 / clock, 60 / clock, 6 / clock},
      {"L3", 16 << 20, 30e9, 20e9, 30e9, 30e-9, 60e-9, 8e-9},
      {"memory", INT64_MAX, 12e9, 8e9, 12e9, 100e-9, 200e-9, 30e-9}};
  return machine;
}

std::string defaultMachinePath() {
  if (const char *named = std::getenv("ATTN_MACHINE"))
    return named;
  const char *home = std::getenv("HOME");
  return home ? std::string(home) + "/.config/attnc/machine.json" : "";
}

static llvm::Error wrong(const std::string &path, const llvm::Twine &key, const llvm::Twine &expected) {
  return createStringError(path + ": '" + key + "': expected " + expected +
                           "; write the file again: attnc machine -o " + path);
}

/// A rate or a time. Numbers outside of the range cannot be a processor's, and would overflow times.
static llvm::Error readNumber(const llvm::json::Object *object, llvm::StringRef key, const llvm::Twine &name,
                              const std::string &path, double &number) {
  constexpr double least = 1e-12, most = 1e18;
  number = object ? object->getNumber(key).value_or(0) : 0;
  return number >= least && number <= most ? llvm::Error::success() : wrong(path, name, "a number from 1e-12 to 1e18");
}

static llvm::Error readLevel(const llvm::json::Object *fields, const std::string &path, MemoryLevel &level) {
  level.name = fields ? fields->getString("name").value_or("").str() : "";
  level.bytes = INT64_MAX;
  if (fields && fields->get("bytes")) {
    level.bytes = fields->getInteger("bytes").value_or(0);
    if (level.bytes <= 0)
      return wrong(path, "levels[].bytes", "a positive integer");
  }
  for (const LevelNumber &number : levelNumbers)
    if (llvm::Error error = readNumber(fields, number.key, "levels[]." + number.key, path, level.*number.value))
      return error;
  return llvm::Error::success();
}

llvm::Expected<Machine> readMachine(const std::string &path) {
  auto file = readInputFile(path);
  if (!file)
    return createStringError(llvm::formatv("{0}: can't be read: {1}", path, toString(file.takeError())));
  auto json = parseJson((*file)->getBuffer());
  if (!json)
    return createStringError(llvm::formatv("{0}: {1}", path, toString(json.takeError())));
  const llvm::json::Object *object = json->getAsObject();
  if (!object)
    return createStringError(llvm::formatv("{0}: expected an object, as `attnc machine` writes it", path));
  Machine machine;
  machine.origin = path;
  machine.name = object->getString("name").value_or("").str();
  machine.lanes = object->getInteger("lanes").value_or(0);
  machine.cores = object->getInteger("cores").value_or(1);
  constexpr int64_t maxLanes = 64;
  if (machine.lanes <= 0 || machine.lanes > maxLanes || !llvm::isPowerOf2_64(machine.lanes))
    return wrong(path, "lanes", "a power of 2 from 1 to 64");
  if (machine.cores <= 0)
    return wrong(path, "cores", "a positive integer");
  for (const RateNumber &number : numbers)
    if (llvm::Error error = readNumber(object, number.key, number.key, path, machine.*number.value))
      return error;
  const llvm::json::Array *levels = object->getArray("levels");
  for (const llvm::json::Value &value : levels ? *levels : llvm::json::Array()) {
    machine.levels.emplace_back();
    if (llvm::Error error = readLevel(value.getAsObject(), path, machine.levels.back()))
      return error;
  }
  if (machine.drowsy < 1)
    return wrong(path, "drowsy", "a factor of at least 1");
  if (machine.levels.size() < 2)
    return wrong(path, "levels", "one cache or more, and memory");
  return machine;
}

std::string machineText(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream out(stream, 2);
  out.object([&] {
    out.attribute("name", machine.name);
    out.attribute("lanes", machine.lanes);
    out.attribute("cores", machine.cores);
    for (const RateNumber &number : numbers)
      out.attribute(number.key, machine.*number.value);
    out.attributeArray("levels", [&] {
      for (const MemoryLevel &level : machine.levels)
        out.object([&] {
          out.attribute("name", level.name);
          if (level.bytes != INT64_MAX)
            out.attribute("bytes", level.bytes);
          for (const LevelNumber &number : levelNumbers)
            out.attribute(number.key, level.*number.value);
        });
    });
  });
  stream << "\n";
  return text;
}

} // namespace attnc
