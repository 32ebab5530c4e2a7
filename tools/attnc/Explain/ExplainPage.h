//===- ExplainPage.h - `attnc explain` as a page to look at ------------------------------------------------------===//
//
// One self-contained HTML page (tools/attnc/Page): of each entry point the graph of its launches, what its kernels cost
// as a table and on a roofline (S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 2009), who lies where in the
// arena and when, and which blocks of pairs masks keep; then what was fused, and what was not and why.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "tools/attnc/Page/HtmlPage.h"

namespace attnc {

HtmlPage pageOf(const ExplainedModel &model);

} // namespace attnc
