#include "core/import/text/json_object_list.h"

#include "core/base/error.h"
#include "core/import/text/damage_search.h"
#include "core/import/text/json_members.h"
#include "core/import/text/json_window.h"

#include <algorithm>
#include <string>

namespace core {

namespace {

    /// One run over one file.
    class ListReader
    {
    public:
        ListReader(BundleEntry &entry, std::string_view listKey, Diagnostics &diagnostics,
                   JsonListConsumer &consumer, const JobControl &control)
            : m_file(entry.name())
            , m_listKey(listKey)
            , m_diagnostics(diagnostics)
            , m_consumer(consumer)
            , m_window(entry, diagnostics, control)
            , m_search(control)
        {
        }

        void read()
        {
            m_window.skipByteOrderMark();
            if (m_window.peek() != '{')
                fail("the file is empty or no JSON object");
            step();
            while (readMember())
                ;
            if (!m_hasList)
                fail("the file has no list \"" + m_listKey + "\"");
            reportDamage();
        }

    private:
        [[noreturn]] void fail(const std::string &message) const
        {
            throw Error(message + ": it was cut, or is no trace. Record again, or leave it out",
                        { m_file, m_window.offset() });
        }

        void step() { m_window.moveTo(m_window.cursor() + 1); }
        bool isAtEnd() const { return m_window.cursor() == m_window.end(); }

        /// `"key": value` and the comma after it. False at the end of the object or of what can
        /// be read of it.
        bool readMember()
        {
            const char next = m_window.peek();
            if (isAtEnd()) {
                noteTruncated(Severity::Warning, m_window.offset());
                return false;
            }
            if (next == '}')
                return false;
            if (next == ',') {
                step();
                return true;
            }
            std::string_view text;
            if (next != '"' || !m_window.takeValue(text))
                return skipToList();
            const std::string key(json::unquoted(text));
            if (m_window.peek() != ':')
                return skipToList();
            step();
            if (key == m_listKey && m_window.peek() == '[') {
                step();
                m_hasList = true;
                return readList();
            }
            m_window.peek();
            const std::uint64_t offset = m_window.offset();
            if (!m_window.takeValue(text))
                return skipToList();
            m_consumer.addMember(key, text, offset);
            return true;
        }

        /// False if the file ends inside the list.
        bool readList()
        {
            for (;;) {
                const char next = m_window.peek();
                if (isAtEnd()) {
                    if (!m_window.isCut()) // else not every record was read
                        noteTruncated(Severity::Warning, m_window.offset());
                    return false;
                }
                if (next == ']') {
                    step();
                    return true;
                }
                if (next == ',')
                    step();
                else if (!readObject())
                    return false;
            }
        }

        /// False if the file ends inside the object.
        bool readObject()
        {
            if (*m_window.cursor() != '{')
                return skipDamage();
            for (;;) {
                std::uint32_t flags = 0;
                const char *after = json::skipValue(m_window.cursor(), m_window.end(), flags);
                if (after == nullptr)
                    return skipDamage();
                if (after < m_window.end() || endsWithFile()) {
                    const char *end = std::min(after, m_window.end());
                    return takeObject(end) || skipRejected(end);
                }
                if (!m_window.readMore())
                    return skipDamage();
            }
        }

        /// Whether the value at the cursor ends with the last byte of the window, and that is the
        /// last of the file: one byte of the padding is looked at to tell it from one that is cut.
        bool endsWithFile()
        {
            std::uint32_t flags = 0;
            return json::skipValue(m_window.cursor(), m_window.end() + 1, flags) == m_window.end()
                && !m_window.readMore();
        }

        bool takeObject(const char *after)
        {
            const std::string_view text(m_window.cursor(),
                                        static_cast<std::size_t>(after - m_window.cursor()));
            if (!m_consumer.addObject(text, m_window.offset()))
                return false;
            m_window.moveTo(after);
            return true;
        }

        /// From damage in the list to behind the next whole object that the consumer takes. False
        /// if there is none: the file ends there.
        bool skipDamage()
        {
            const std::uint64_t begin = m_window.offset();
            if (!findObject()) {
                noteTruncated(Severity::Error, begin);
                return false;
            }
            noteDamage(begin);
            return true;
        }

        /// A whole object up to `after` is none of the list's: goes on behind the first one inside
        /// of it that is (a lost bracket can have swallowed it), else behind the object.
        bool skipRejected(const char *after)
        {
            const std::uint64_t begin = m_window.offset();
            if (!findObjectBefore(after)) {
                m_window.moveTo(after);
                m_resumedAt = m_window.offset();
            }
            noteDamage(begin);
            return true;
        }

        /// From `begin` to where reading goes on.
        void noteDamage(std::uint64_t begin)
        {
            m_firstDamage = m_damageCount++ == 0 ? begin : m_firstDamage;
            m_damageBytes += m_resumedAt - begin;
        }

        bool findObjectBefore(const char *limit)
        {
            for (;;) {
                step();
                m_window.moveTo(std::find(m_window.cursor(), limit, '{'));
                if (m_window.cursor() == limit)
                    return false;
                if (tryObject(limit))
                    return true;
            }
        }

        bool findObject()
        {
            step();
            for (;;) {
                m_window.moveTo(std::find(m_window.cursor(), m_window.end(), '{'));
                const std::ptrdiff_t reach = m_search.reach();
                if (m_window.end() - m_window.cursor() < reach && m_window.readMore())
                    continue;
                if (isAtEnd())
                    return false;
                if (tryObject(m_window.end()))
                    return true;
                step();
            }
        }

        /// Takes the object that begins at the cursor, if it is one of the list's and ends before
        /// `end` and within reach.
        bool tryObject(const char *end)
        {
            const char *begin = m_window.cursor();
            const char *limit = std::min(end, begin + m_search.reach());
            std::uint32_t flags = 0;
            json::ScanEffort effort { m_search.depth() };
            const char *after = json::skipValue(begin, limit, flags, effort);
            m_resumedAt = m_window.offset();
            if (after != nullptr && after < limit && takeObject(after))
                return true;
            m_search.addFailedTry(begin, after == nullptr ? effort.failedAt : after);
            return false;
        }

        /// The outermost object makes no sense at the cursor: goes on at the list if it is still
        /// to come.
        bool skipToList()
        {
            const std::uint64_t damage = m_window.offset();
            if (isAtEnd() || m_hasList) {
                m_diagnostics.count("damaged-tail", Severity::Error, { m_file, damage },
                                    "what follows the list of nodes is damaged and was not read. "
                                    "Everything before was read; copy or record again, "
                                    "and import into a new project, to have the rest");
                return false;
            }
            if (++m_listTries > DamageSearch::MaximumListTries)
                return false;
            const std::string key = '"' + m_listKey + '"';
            for (;;) {
                const std::string_view text(
                    m_window.cursor(),
                    static_cast<std::size_t>(m_window.end() - m_window.cursor()));
                const std::size_t at = text.find(key);
                if (at != std::string_view::npos) {
                    m_window.moveTo(m_window.cursor() + at);
                    break;
                }
                m_window.moveTo(m_window.end() - std::min(text.size(), key.size()));
                if (!m_window.readMore())
                    return false;
            }
            m_diagnostics.count("damaged-header", Severity::Error, { m_file, damage },
                                "what comes before the list of nodes is damaged and was not read. "
                                "Copy or record again, "
                                "and import into a new project, to have it");
            return true;
        }

        void noteTruncated(Severity severity, std::uint64_t offset)
        {
            m_diagnostics.count("truncated-file", severity, { m_file, offset },
                                "the file ends before its list or its outermost object is closed: "
                                "the program or the copy was stopped while writing. Every whole "
                                "record was read; record or copy again, and import into a new "
                                "project, to have the rest");
        }

        void reportDamage()
        {
            if (m_damageCount > 0)
                m_diagnostics.add({ "damaged-node", Severity::Error, m_damageCount, m_file,
                                    m_firstDamage,
                                    "damaged places, " + std::to_string(m_damageBytes)
                                        + " bytes in all, were left out; reading went on at the "
                                          "next whole node. Record again, or repair the file "
                                          "there" });
        }

        std::string m_file;
        std::string m_listKey;
        Diagnostics &m_diagnostics;
        JsonListConsumer &m_consumer;
        JsonWindow m_window;
        DamageSearch m_search;
        bool m_hasList = false;
        int m_listTries = 0;
        std::uint64_t m_damageCount = 0;
        std::uint64_t m_damageBytes = 0;
        std::uint64_t m_firstDamage = 0;
        std::uint64_t m_resumedAt = 0; ///< where the object after the damage begins
    };

} // namespace

void readJsonObjectList(BundleEntry &entry, std::string_view listKey, Diagnostics &diagnostics,
                        JsonListConsumer &consumer, const JobControl &control)
{
    ListReader(entry, listKey, diagnostics, consumer, control).read();
}

} // namespace core
