// Markdown report of a run on a device. Speeds are reported as fractions of reference rates of the same run.
#include "benchmarks/device/DeviceCheck.h"
#include "benchmarks/device/Results.h"
#include <cctype>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace attnc::device {

namespace {

using Json = nlohmann::json;

const std::pair<const char *, const char *> peers[] = {
    {"flash", "SDPA, flash"}, {"cudnn", "SDPA, cuDNN"}, {"flex", "FlexAttention"}, {"triton", "Triton"}};

/// Returns the work of a launch: operations for the reference rate C, bytes for B.
double workOf(const Json &each) {
  const Json &shape = each.at("settings");
  auto size = [&](const char *name) { return shape.at(name).get<double>(); };
  std::string kind = each.at("kind");
  if (kind == "gemm")
    return 2 * size("n") * size("n") * size("n");
  if (kind == "decode") // keys and values, two bytes each
    return 4 * size("batch") * size("kv_heads") * size("n") * size("d");
  return 4 * size("heads") * size("d") * each.at("pairs").get<double>();
}

struct Page {
  Page(const Json &cases, std::vector<Json> lines) : cases(cases), lines(std::move(lines)) {
    for (const Json &line : this->lines) {
      if (line.at("what") == "time")
        seconds[{line.at("case"), line.at("by")}] = line.at("seconds");
      if (line.at("what") == "rate")
        rates[line.at("name")] = line.at("value");
    }
  }

  const Json &cases;
  std::vector<Json> lines;
  std::map<std::pair<std::string, std::string>, double> seconds;
  std::map<std::string, double> rates;

  std::vector<Json> all(const std::string &what) const {
    std::vector<Json> found;
    for (const Json &line : lines)
      if (line.at("what") == what)
        found.push_back(line);
    return found;
  }
  std::optional<double> timeOf(const std::string &name, const std::string &by) const {
    auto found = seconds.find({name, by});
    return found == seconds.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<double> rateOf(const std::string &name) const {
    auto found = rates.find(name);
    return found == rates.end() ? std::nullopt : std::optional(found->second);
  }

  /// Returns the reference rate of a case in this run.
  std::optional<double> unitOf(const Json &each) const { return rateOf(each.at("unit") == "B" ? "copy" : "cublas"); }

  std::optional<double> shareOf(const Json &each, const std::string &by) const {
    std::optional<double> took = timeOf(each.at("name"), by);
    if (each.at("unit") == "flex") {
      std::optional<double> flex = timeOf(each.at("name"), "flex");
      return took && flex ? std::optional(*flex / *took) : std::nullopt;
    }
    std::optional<double> unit = unitOf(each);
    return took && unit ? std::optional(workOf(each) / *took / *unit) : std::nullopt;
  }
};

std::string share(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : "-"; }

/// Text of a required fraction: "0.62 C", "1.3 x FlexAttention".
std::string wanted(const Json &each, const char *key) {
  std::string unit = each.at("unit");
  return fmt::format("{:g}{}", each.at(key).get<double>(), unit == "flex" ? " × FlexAttention" : " " + unit);
}

std::string verdict(const Json &each, std::optional<double> found) {
  return !found                                     ? "not measured"
         : *found >= each.at("goal").get<double>()  ? "goal"
         : *found >= each.at("least").get<double>() ? "enough"
                                                    : "**too slow**";
}

std::string milliseconds(std::optional<double> seconds) {
  return seconds ? fmt::format("{:.3f}", 1e3 * *seconds) : "-";
}

std::string shares(const Page &page) {
  std::string text = "| case | required (goal) | reached | | ms |";
  std::string rule = "|---|---|---|---|---|";
  for (auto [by, title] : peers) {
    text += fmt::format(" {} |", title);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const Json &each : page.cases.at("measures")) {
    std::optional<double> found = page.shareOf(each, "attnc");
    text += fmt::format("| {} | {} ({:g}) | {} | {} | {} |", each.at("title").get<std::string>(), wanted(each, "least"),
                        each.at("goal").get<double>(), share(found), verdict(each, found),
                        milliseconds(page.timeOf(each.at("name"), "attnc")));
    for (auto [by, title] : peers)
      text += fmt::format(" {} |", share(page.shareOf(each, by)));
    text += "\n";
  }
  return text;
}

std::string compileTime(const Page &page) {
  const Json &compile = page.cases.at("compile");
  std::optional<double> took = page.timeOf("compile", "attnc");
  double limit = compile.at("seconds");
  return fmt::format("| what | required | reached |\n|---|---|---|\n| {} | at most {:g} s | {} |\n",
                     compile.at("title").get<std::string>(), limit,
                     took ? fmt::format("{:.2f} s{}", *took, *took <= limit ? "" : ", **too slow**") : "not measured");
}

/// Returns the packed calls without a result line, whose process died.
std::string notMade(const Page &page) {
  std::set<std::string> made;
  for (const Json &each : page.all("check"))
    made.insert(each.at("name"));
  size_t packed = made.size();
  for (const Json &each : page.all("packed"))
    packed = each.at("calls");
  return made.size() == packed ? "" : fmt::format("**Only {} of {} calls were made.**\n", made.size(), packed);
}

std::string checks(const Page &page) {
  std::vector<Json> found = page.all("check");
  std::string beyond;
  size_t good = 0;
  for (const Json &each : found) {
    good += each.at("agrees").get<bool>();
    if (!each.at("agrees").get<bool>())
      beyond += fmt::format(
          "- `{}` {}: {}\n", each.at("name").get<std::string>(), each.value("result", ""),
          each.contains("why") ? each.at("why").get<std::string>()
                               : fmt::format("error {}, allowed {}", each.at("error").dump(), each.at("limit").dump()));
  }
  std::string text =
      fmt::format("{} of {} results are within their limits of the oracle's stored answers.\n", good, found.size());
  text += notMade(page);
  return beyond.empty() ? text : text + "\nBeyond them:\n\n" + beyond;
}

std::string missing(const Page &page) {
  std::string text;
  for (const Json &each : page.all("missing"))
    text += fmt::format("- {}: {}\n", each.at("name").get<std::string>(), each.at("why").get<std::string>());
  return text.empty() ? "Nothing.\n" : text;
}

std::string headOf(const Page &page) {
  std::vector<Json> devices = page.all("device");
  if (devices.empty())
    return "**Not yet run on a device.** The tables have the targets. To fill this page, run\n"
           "`scripts/gpu-check pack gpu-check.run` on the machine that builds, then `sh gpu-check.run RESULTS` on the\n"
           "machine with the device. The file needs libc and NVIDIA's driver, no network and no LLVM, and takes less\n"
           "than ten minutes. It writes this page, the measurements as lines of JSON, and its log to the folder "
           "RESULTS.\n";
  const Json &device = devices.front();
  std::string text = fmt::format("Run on {}: sm_{}, {} processors, {:.1f} GB.\n", device.at("name").get<std::string>(),
                                 device.at("architecture").get<int>(), device.at("processors").get<int>(),
                                 1e-9 * device.at("memory_bytes").get<double>());
  std::set<std::string> images;
  for (const Json &line : page.lines)
    if (line.contains("image"))
      images.insert(line.at("image"));
  text +=
      fmt::format("The driver supports CUDA {}; it ran the images for {}.\n", device.value("driver", "of some version"),
                  images.empty() ? "no architecture" : fmt::format("{}", fmt::join(images, ", ")));
  if (std::optional<double> c = page.rateOf("cublas"))
    text += fmt::format("C, cuBLAS's product of 8192 x 8192 in bf16: {:.0f} TFLOP/s.\n", 1e-12 * *c);
  if (std::optional<double> b = page.rateOf("copy"))
    text += fmt::format("B, copies on the device, read and written: {:.0f} GB/s.\n", 1e-9 * *b);
  return text;
}

std::string textOf(const Page &page) {
  std::string text = "# On a device\n\n" + headOf(page);
  if (!page.lines.empty())
    text += "\n## Answers\n\n" + checks(page);
  text +=
      "\n## Speed\n\n"
      "C is the rate of cuBLAS on bf16 8192³, B the rate of copies, both in the same run; a multiple of FlexAttention\n"
      "is its time divided by attnc's time. Operands are random bf16, sums f32. Times are medians over a second of\n"
      "runs after half a second of warm-up, by the host's clock; several launches form one run, a graph. The columns\n"
      "of peers are shares of the same C and B, or of FlexAttention's rate. FlexAttention is compiled with\n"
      "max-autotune-no-cudagraphs, and its tanh is PyTorch's, not the instruction; Triton's forward is that of its\n"
      "tutorial, without warp specialisation.\n\n" +
      shares(page) + "\n" + compileTime(page);
  if (!page.lines.empty())
    text += "\n## Missing\n\n" + missing(page);
  return text;
}

/// Returns the file name: the device's name without its maker, in lower case.
std::string fileOf(const Page &page) {
  std::vector<Json> devices = page.all("device");
  std::istringstream words(devices.empty() ? "H200" : devices.front().at("name").get<std::string>());
  std::string word;
  while (words >> word && word == "NVIDIA") {
  }
  std::string file;
  for (unsigned char each : word)
    file += std::isalnum(each) ? char(std::tolower(each)) : '-';
  return file + ".md";
}

} // namespace

int report(const std::string &cases, const std::string &folder, const std::string &results) {
  Json wanted = readJson(cases);
  Page page(wanted, results.empty() ? std::vector<Json>() : readLines(results));
  std::string path = folder + "/" + fileOf(page);
  std::ofstream out(path);
  if (!(out << textOf(page)).flush())
    throw std::runtime_error(path + " can't be written");
  fmt::print("{}\n", path);
  return 0;
}

} // namespace attnc::device
