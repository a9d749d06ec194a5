#include "tests/architecture/shown_text.h"

#include <algorithm>
#include <array>

namespace tests {

namespace {

    int lineAt(const std::string &content, std::size_t place)
    {
        return 1
            + static_cast<int>(std::count(
                content.begin(), content.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    }

    bool has(std::string_view text, std::string_view part)
    {
        return text.find(part) != std::string_view::npos;
    }

    bool isSafeToolTip(std::string_view statement)
    {
        const bool isFixed = has(statement, "tr(\"") && !has(statement, ".arg(");
        return isFixed || has(statement, "toolTipParagraphs(")
            || has(statement, "toolTip()") // as it was given
            || has(statement, "tooltipOf("); // of the timeline, which escapes each name
    }

    /// From a place to the end of its statement.
    std::string_view statementAt(const std::string &content, std::size_t place)
    {
        return std::string_view(content).substr(place, content.find(';', place) - place);
    }

    void checkToolTips(const std::string &file, const std::string &content,
                       std::vector<Violation> &violations)
    {
        for (const std::string_view call : { "setToolTip(", "QToolTip::showText(" })
            for (auto at = content.find(call); at != std::string::npos;
                 at = content.find(call, at + 1))
                if (!isSafeToolTip(statementAt(content, at)))
                    violations.push_back({ file, lineAt(content, at),
                                           "a tooltip goes through toolTipParagraphs()" });
    }

    /// What a model returns for the role, up to the next role.
    void checkModel(const std::string &file, const std::string &content,
                    std::vector<Violation> &violations)
    {
        constexpr std::string_view Role = "Qt::ToolTipRole";
        constexpr std::string_view Return = "return ";
        for (auto at = content.find(Role); at != std::string::npos;
             at = content.find(Role, at + 1)) {
            auto end = content.size();
            for (const std::string_view next :
                 { "\n    case ", "\n    default:", "\n    if (", "\n}" })
                end = std::min(end, content.find(next, at));
            for (auto from = content.find(Return, at); from < end;
                 from = content.find(Return, from + 1)) {
                const std::string_view statement = statementAt(content, from);
                if (!isSafeToolTip(statement) && !has(statement, "return QVariant()"))
                    violations.push_back({ file, lineAt(content, from),
                                           "a tooltip goes through toolTipParagraphs()" });
            }
        }
    }

    void checkLabels(const std::string &file, const std::string &content,
                     std::vector<Violation> &violations)
    {
        constexpr std::array Pictures { "icon", "Icon", "mark", "chevron", "picture" };
        constexpr std::string_view Call = "new QLabel(";
        for (auto at = content.find(Call); at != std::string::npos;
             at = content.find(Call, at + 1)) {
            const auto begin = content.rfind('\n', at) + 1;
            const std::string_view line
                = std::string_view(content).substr(begin, content.find('\n', at) - begin);
            if (std::none_of(Pictures.begin(), Pictures.end(),
                             [line](const char *word) { return has(line, word); }))
                violations.push_back(
                    { file, lineAt(content, at), "a label with text comes from createLabel()" });
        }
    }

} // namespace

std::vector<Violation> checkShownText(const std::string &file, const std::string &content)
{
    std::vector<Violation> violations;
    checkToolTips(file, content, violations);
    checkModel(file, content, violations);
    if (file != "ui/widgets/text_label.cpp")
        checkLabels(file, content, violations);
    return violations;
}

} // namespace tests
