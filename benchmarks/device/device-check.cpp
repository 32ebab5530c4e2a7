// Check and benchmark program for a machine with a device (scripts/gpu-check); it needs only libc and the driver.
#include "benchmarks/device/DeviceCheck.h"
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

using namespace attnc::device;

static int usage() {
  std::fputs("device-check describe [RESULTS]             which device there is\n"
             "device-check list FOLDER                    what there is: \"check LIBRARY\", \"measure CASE\"\n"
             "device-check check FOLDER [RESULTS [ONLY]]  every call against the oracle's answer, or a library's\n"
             "device-check measure FOLDER [RESULTS [ONLY]]  how long cases take, or one\n"
             "device-check report CASES INTO [RESULTS]    a page of what was found, in the folder INTO\n",
             stderr);
  return 2;
}

static int run(const std::vector<std::string> &words) {
  auto at = [&](size_t number) { return number < words.size() ? words[number] : ""; };
  size_t count = words.size();
  if (at(0) == "describe" && count <= 2)
    return describe(at(1));
  if (at(0) == "list" && count == 2)
    return list(at(1));
  if (at(0) == "check" && count >= 2 && count <= 4)
    return check(at(1), at(2), at(3));
  if (at(0) == "measure" && count >= 2 && count <= 4)
    return measure(at(1), at(2), at(3));
  if (at(0) == "report" && (count == 3 || count == 4))
    return report(at(1), at(2), at(3));
  return usage();
}

int main(int count, char **arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "device-check: %s\n", error.what());
    return 2;
  }
}
