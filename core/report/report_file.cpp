#include "core/report/report_file.h"

#include "core/export/graph/markup.h"
#include "core/export/graph/svg_graph.h"
#include "core/report/report_page.h"

namespace core {

std::string reportHtml(const std::vector<std::string> &pages, const std::string &title)
{
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<title>"
        + markupText(title)
        + "</title>\n<style>\n"
          "body { margin: 0; background: #E9EBEE; }\n"
          "svg { display: block; margin: 24px auto; background: #FFFFFF; max-width: 100%; "
          "height: auto; box-shadow: 0 1px 6px rgba(0, 0, 0, 0.2); }\n"
          "@media (prefers-color-scheme: dark) { body { background: #15181D; } }\n"
          "@page { size: A4; margin: 0; }\n"
          "@media print { body { background: #FFFFFF; } svg { margin: 0; width: 100%; "
          "box-shadow: none; page-break-after: always; } }\n"
          "</style>\n</head>\n<body>\n";
    for (const std::string &document : reportDocuments(pages))
        html += document;
    return html + "</body>\n</html>\n";
}

std::vector<std::string> reportDocuments(const std::vector<std::string> &pages)
{
    std::vector<std::string> documents;
    documents.reserve(pages.size());
    for (const std::string &page : pages)
        documents.push_back(svgDocument({ PageWidth, PageHeight, page }));
    return documents;
}

} // namespace core
