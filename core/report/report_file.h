#pragma once

#include <string>
#include <vector>

namespace core {

/// An HTML document with the pages in it, which needs no other file and prints page by page.
std::string reportHtml(const std::vector<std::string> &pages, const std::string &title);

/// An SVG document of each page.
std::vector<std::string> reportDocuments(const std::vector<std::string> &pages);

} // namespace core
