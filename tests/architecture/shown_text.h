#pragma once

#include "tests/architecture/include_rules.h"

namespace tests {

/// Places of a file of the user interface that may show a name of a trace as rich text: Qt takes
/// what begins like a tag for HTML, and loads the files that it names. Tooltips go through
/// toolTipParagraphs() or are fixed texts; labels come from createLabel() or show a picture.
std::vector<Violation> checkShownText(const std::string &file, const std::string &content);

} // namespace tests
