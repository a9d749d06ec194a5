#include "core/import/text/json_lines.h"

#include "core/import/entry_reader.h"
#include "core/import/text/clean_text.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t BlockSize = 256 * 1024;
    constexpr std::size_t LongestLine = 4 * 1024 * 1024;

    /// From an opening quote to its closing one, or to the end.
    std::size_t endOfString(std::string_view line, std::size_t quote)
    {
        std::size_t at = quote + 1;
        while (at < line.size() && line[at] != '"')
            at += line[at] == '\\' ? 2 : 1;
        return at;
    }

    /// What copies or writes such a value calls itself once a level. Brackets in texts do not
    /// count: closing ones there would hide opening ones.
    bool nestsTooDeep(std::string_view line)
    {
        constexpr std::size_t MostOpen = 4096;
        std::size_t open = 0;
        for (std::size_t at = 0; at < line.size(); ++at) {
            const char c = line[at];
            if (c == '"')
                at = endOfString(line, at);
            else if (c == '[' || c == '{')
                ++open;
            else if ((c == ']' || c == '}') && open > 0)
                --open;
            if (open > MostOpen)
                return true;
        }
        return false;
    }

    class LineReader
    {
    public:
        LineReader(BundleEntry &entry, Diagnostics &diagnostics, const OnJsonLine &onLine)
            : m_entry(entry)
            , m_diagnostics(diagnostics)
            , m_onLine(onLine)
        {
        }

        void read(const JobControl &control)
        {
            const std::string stage = "import " + m_entry.name();
            std::vector<char> block(BlockSize);
            EntryReader reader(m_entry, m_diagnostics);
            while (const std::size_t count = reader.read(block)) {
                throwIfCancelled(control);
                control.report(m_entry.progress(), stage);
                addBlock({ block.data(), count });
            }
            endLine(true);
        }

    private:
        void addBlock(std::string_view block)
        {
            for (std::size_t end = block.find('\n'); end != std::string_view::npos;
                 end = block.find('\n')) {
                append(block.substr(0, end));
                endLine(false);
                block.remove_prefix(end + 1);
            }
            append(block);
        }

        void append(std::string_view text)
        {
            m_lineSize += text.size();
            if (m_lineSize <= LongestLine)
                m_line.append(text);
        }

        void endLine(bool isLast)
        {
            if (m_lineSize > LongestLine)
                count("long-line",
                      "lines longer than 4 MiB were left out: the file is damaged, "
                      "record again");
            else if (m_line.find_first_not_of(" \t\r") != std::string::npos)
                parse(isLast);
            m_offset += m_lineSize + 1;
            m_lineSize = 0;
            m_line.clear();
        }

        void parse(bool isLast)
        {
            if (nestsTooDeep(m_line)) {
                count("deep-line",
                      "lines with more than 4096 brackets open at once were left out: no profiler "
                      "writes them, the file is damaged. Record again");
                return;
            }
            auto object = nlohmann::json::parse(m_line, nullptr, false);
            if (object.is_discarded())
                object = nlohmann::json::parse(cleanText(m_line), nullptr, false);
            if (object.is_object())
                m_onLine(object, m_line, m_offset);
            else if (isLast)
                count("truncated-file",
                      "the file ends inside a record, which was left out: the program or the copy "
                      "was stopped while writing. Everything before was read; copy or "
                      "record again, and import into a new project, to have the rest");
            else
                count("damaged-line",
                      "lines that are no JSON object were left out; every other "
                      "line was read. Repair them, or record again");
        }

        void count(std::string_view code, std::string_view message)
        {
            m_diagnostics.count(code, Severity::Error, { m_entry.name(), m_offset }, message);
        }

        BundleEntry &m_entry;
        Diagnostics &m_diagnostics;
        const OnJsonLine &m_onLine;
        std::string m_line;
        std::uint64_t m_lineSize = 0; ///< may be more than m_line holds
        std::uint64_t m_offset = 0; ///< of the line in the entry
    };

} // namespace

void readJsonLines(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control,
                   const OnJsonLine &onLine)
{
    LineReader(entry, diagnostics, onLine).read(control);
}

} // namespace core
