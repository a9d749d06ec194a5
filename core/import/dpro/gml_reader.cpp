#include "core/import/dpro/gml_reader.h"

#include "core/base/error.h"
#include "core/import/entry_reader.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t LongestText = 64 * 1024;
    constexpr std::uint32_t DeepestList = 256;

    bool isSpace(char c)
    {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    /// Undoes the entities that networkx writes: &#NN; for characters beyond ASCII, &quot; and
    /// &amp;.
    std::string withoutEntities(const std::string &text)
    {
        constexpr std::array Names = { std::pair { std::string_view("&quot;"), '"' },
                                       std::pair { std::string_view("&#34;"), '"' },
                                       std::pair { std::string_view("&#38;"), '&' },
                                       std::pair { std::string_view("&amp;"), '&' } };
        std::string plain;
        for (std::size_t at = 0; at < text.size();) {
            const std::string_view rest = std::string_view(text).substr(at);
            bool isEntity = false;
            for (const auto &[name, character] : Names) {
                if (!isEntity && rest.starts_with(name)) {
                    plain += character;
                    at += name.size();
                    isEntity = true;
                }
            }
            if (!isEntity)
                plain += text[at++];
        }
        return plain;
    }

    enum class TokenKind { End, Open, Close, Text, Word };

    /// Cuts the file into brackets, quoted texts and words.
    class GmlTokens
    {
    public:
        GmlTokens(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control)
            : m_reader(entry, diagnostics)
            , m_control(control)
            , m_block(256 * 1024)
        {
        }

        TokenKind next()
        {
            m_text.clear();
            std::optional<char> c = take();
            while (c && (isSpace(*c) || *c == '#')) {
                if (*c == '#')
                    skipLine();
                c = take();
            }
            m_tokenOffset = c ? m_offset - 1 : m_offset;
            if (!c)
                return TokenKind::End;
            if (*c == '[')
                return TokenKind::Open;
            if (*c == ']')
                return TokenKind::Close;
            return *c == '"' ? readText() : readWord(*c);
        }

        const std::string &text() const { return m_text; }
        std::uint64_t tokenOffset() const { return m_tokenOffset; }

    private:
        std::optional<char> peek()
        {
            if (m_at == m_size) {
                throwIfCancelled(m_control);
                m_control.report(m_reader.entry().progress(), m_reader.entry().name());
                m_size = m_reader.read(m_block);
                m_at = 0;
            }
            return m_at < m_size ? std::optional(m_block[m_at]) : std::nullopt;
        }

        std::optional<char> take()
        {
            const std::optional<char> c = peek();
            if (c) {
                ++m_at;
                ++m_offset;
            }
            return c;
        }

        void append(char c)
        {
            if (m_text.size() < LongestText)
                m_text += c;
        }

        void skipLine()
        {
            for (auto c = take(); c && *c != '\n';)
                c = take();
        }

        TokenKind readText()
        {
            for (auto c = take(); c && *c != '"'; c = take())
                append(*c);
            return TokenKind::Text;
        }

        TokenKind readWord(char first)
        {
            append(first);
            for (auto c = peek(); c && !isSpace(*c) && *c != '[' && *c != ']'; c = peek()) {
                append(*c);
                take();
            }
            return TokenKind::Word;
        }

        EntryReader m_reader;
        const JobControl &m_control;
        std::vector<char> m_block;
        std::size_t m_at = 0, m_size = 0;
        std::uint64_t m_offset = 0, m_tokenOffset = 0;
        std::string m_text;
    };

    class GmlReader
    {
    public:
        GmlReader(BundleEntry &entry, Diagnostics &diagnostics, GmlConsumer &consumer,
                  const JobControl &control)
            : m_file(entry.name())
            , m_diagnostics(diagnostics)
            , m_consumer(consumer)
            , m_tokens(entry, diagnostics, control)
        {
        }

        void read()
        {
            while (m_tokens.next() != TokenKind::End) {
                if (m_tokens.text() != "graph" || m_tokens.next() != TokenKind::Open)
                    continue;
                readGraph();
                return;
            }
            throw Error("the file holds no graph: it is no GML, or was cut before it. Write it "
                        "again",
                        { m_file, std::nullopt });
        }

    private:
        void readGraph()
        {
            std::string key;
            for (;;) {
                switch (m_tokens.next()) {
                case TokenKind::End:
                    noteCut();
                    return;
                case TokenKind::Close:
                    return;
                case TokenKind::Open:
                    if (!readList(key))
                        return;
                    break;
                case TokenKind::Word:
                    key = m_tokens.text();
                    break;
                case TokenKind::Text:
                    break;
                }
            }
        }

        struct Fields
        {
            std::optional<std::int64_t> id, source, target;
            std::optional<std::string> label;
        };

        /// A list of the graph, after its opening bracket; false if the file ends in it.
        bool readList(const std::string &kind)
        {
            const std::uint64_t offset = m_tokens.tokenOffset();
            Fields fields;
            if (!readFields(fields)) {
                noteCut();
                return false;
            }
            if (kind == "node") {
                if (fields.id && fields.label)
                    m_consumer.addNode(*fields.id, cleanString(withoutEntities(*fields.label)));
                else
                    count("bad-node", offset,
                          "nodes without a number or a label were left out: the file is damaged, "
                          "write it again");
            } else if (kind == "edge") {
                if (fields.source && fields.target)
                    m_consumer.addEdge(*fields.source, *fields.target);
                else
                    count("bad-edge", offset,
                          "edges without a source or a target were left out: the file is damaged, "
                          "write it again");
            }
            return true;
        }

        /// To the closing bracket of the list; false if the file ends before. Inner lists are
        /// skipped.
        bool readFields(Fields &fields)
        {
            std::uint32_t depth = 1;
            std::string key;
            while (depth > 0) {
                const TokenKind kind = m_tokens.next();
                if (kind == TokenKind::End || depth > DeepestList)
                    return false;
                if (kind == TokenKind::Open) {
                    ++depth;
                } else if (kind == TokenKind::Close) {
                    --depth;
                } else if (depth == 1 && key.empty() && kind == TokenKind::Word) {
                    key = m_tokens.text();
                    continue;
                } else if (depth == 1) {
                    setField(fields, key, kind);
                }
                key.clear();
            }
            return true;
        }

        void setField(Fields &fields, const std::string &key, TokenKind kind)
        {
            const std::string &text = m_tokens.text();
            if (key == "label")
                fields.label = text;
            if (kind != TokenKind::Word)
                return;
            if (key == "id")
                fields.id = integerFrom(text);
            else if (key == "source")
                fields.source = integerFrom(text);
            else if (key == "target")
                fields.target = integerFrom(text);
        }

        void noteCut()
        {
            m_diagnostics.count("truncated-file", Severity::Error,
                                { m_file, m_tokens.tokenOffset() },
                                "the graph is not closed: the file was cut, or is nested too deep. "
                                "Everything before was read; write it again, and import it into a "
                                "new project, for the rest");
        }

        void count(std::string_view code, std::uint64_t offset, std::string_view message)
        {
            m_diagnostics.count(code, Severity::Error, { m_file, offset }, message);
        }

        std::string m_file;
        Diagnostics &m_diagnostics;
        GmlConsumer &m_consumer;
        GmlTokens m_tokens;
    };

} // namespace

void readGml(BundleEntry &entry, Diagnostics &diagnostics, GmlConsumer &consumer,
             const JobControl &control)
{
    GmlReader(entry, diagnostics, consumer, control).read();
}

} // namespace core
