#include "tools/attnc/ExplainedModel/ModelPaths.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

using namespace llvm;

namespace attnc {

static std::string moduleOf(const std::string &parameter) {
  size_t dot = parameter.rfind('.');
  return dot == std::string::npos ? parameter : parameter.substr(0, dot);
}

/// Removes the states of an optimizer if their parameters are present: `train.m.out.weight` beside `out.weight`.
static void dropStates(std::set<std::string> &parameters) {
  auto isState = [&](const std::string &name) {
    StringRef parameter = StringRef(name).split('.').second.split('.').second;
    return !parameter.empty() && parameters.contains(parameter.str());
  };
  std::set<std::string> states;
  copy_if(parameters, std::inserter(states, states.end()), isState);
  for (const std::string &state : states)
    parameters.erase(state);
}

/// "blocks.mix + blocks.norm2"; a module represents its inner modules.
static std::string pathOf(const std::set<std::string> &modules) {
  std::vector<std::string> outer;
  for (const std::string &module : modules) // an outer module precedes its inner ones
    if (none_of(outer, [&](const std::string &each) { return StringRef(module).starts_with(each + "."); }))
      outer.push_back(module);
  return fmt::format("{}", fmt::join(outer, " + "));
}

static std::string pathOfConsumers(size_t launch, ArrayRef<ExplainedEdge> edges, ArrayRef<std::string> paths) {
  std::set<std::string> found;
  for (const ExplainedEdge &edge : edges)
    if (edge.from == launch && edge.to && *edge.to != launch && !edge.isCarried && !paths[*edge.to].empty())
      found.insert(paths[*edge.to]);
  return found.size() == 1 ? *found.begin() : "";
}

static std::string resultOf(size_t launch, ArrayRef<ExplainedEdge> edges) {
  auto result = find_if(edges, [&](const ExplainedEdge &edge) { return edge.from == launch && !edge.to; });
  return result == edges.end() ? "" : result->name;
}

std::vector<std::string> modelPaths(const LaunchOrigins &origins, ArrayRef<ExplainedEdge> edges) {
  size_t count = origins.attentions.size();
  std::vector<std::set<std::string>> read(count);
  for (const ExplainedEdge &edge : edges)
    if (!edge.from && edge.to && edge.isParameter)
      read[*edge.to].insert(edge.name);
  std::vector<std::string> paths;
  for (size_t launch = 0; launch < count; ++launch) {
    std::set<std::string> modules = origins.attentions[launch];
    std::set<std::string> parameters = read[launch];
    if (modules.empty() && parameters.empty())
      parameters = origins.written[launch];
    dropStates(parameters);
    for (const std::string &parameter : parameters)
      modules.insert(moduleOf(parameter));
    paths.push_back(pathOf(modules));
  }
  for (size_t launch = count; launch-- > 0;) // consumers first
    if (paths[launch].empty())
      paths[launch] = pathOfConsumers(launch, edges, paths);
  for (size_t launch = 0; launch < count; ++launch)
    if (paths[launch].empty())
      paths[launch] = resultOf(launch, edges);
  return paths;
}

} // namespace attnc
