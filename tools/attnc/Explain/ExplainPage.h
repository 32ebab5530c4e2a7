//===- ExplainPage.h - an explained model as an HTML page --------------------------------------------------------===//
//
// One self-contained page (tools/attnc/Page). For each entry point it has the graph of launches, the costs of kernels
// as a table and on a roofline (S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 2009), the live ranges in the
// arena, and the blocks of query–key pairs that masks keep; then all decisions with their reasons.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "tools/attnc/Page/HtmlPage.h"

namespace attnc {

HtmlPage pageOf(const ExplainedModel &model);

} // namespace attnc
