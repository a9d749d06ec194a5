#include "core/import/text/decimal_time.h"
#include "tests/bench/kineto_parsers.h"

#include <rapidjson/reader.h>

#include <string_view>

namespace bench {

namespace {

    /// Follows the depth of the events; numbers come as text, so that times stay exact.
    class Handler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler>
    {
    public:
        Extracted extracted;

        bool StartObject()
        {
            if (++m_depth == EventDepth) {
                m_isComplete = false;
                m_name = m_timestamp = m_duration = {};
                m_correlation = m_externalId = 0;
            }
            return true;
        }
        bool EndObject(rapidjson::SizeType)
        {
            if (m_depth-- == EventDepth && m_isInEvents)
                endEvent();
            return true;
        }
        bool StartArray()
        {
            if (m_depth++ == 1)
                m_isInEvents = m_key == "traceEvents";
            return true;
        }
        bool EndArray(rapidjson::SizeType)
        {
            --m_depth;
            return true;
        }
        bool Key(const char *text, rapidjson::SizeType size, bool)
        {
            m_key = { text, size };
            return true;
        }
        bool String(const char *text, rapidjson::SizeType size, bool)
        {
            if (m_depth == EventDepth && m_key == "ph")
                m_isComplete = size == 1 && *text == 'X';
            else if (m_depth == EventDepth && m_key == "name")
                m_name = { text, size };
            return true;
        }
        bool RawNumber(const char *text, rapidjson::SizeType size, bool)
        {
            const std::string_view number(text, size);
            if (m_depth == EventDepth && m_key == "ts")
                m_timestamp = number;
            else if (m_depth == EventDepth && m_key == "dur")
                m_duration = number;
            else if (m_depth == EventDepth + 1 && m_key == "correlation")
                m_correlation = core::unsignedFrom(number).value_or(0);
            else if (m_depth == EventDepth + 1 && m_key == "External id")
                m_externalId = core::unsignedFrom(number).value_or(0);
            return true;
        }

    private:
        static constexpr int EventDepth = 3;

        void endEvent()
        {
            ++extracted.events;
            if (!m_isComplete)
                return;
            ++extracted.slices;
            extracted.textSize += m_name.size();
            extracted.timeSumNs += static_cast<std::uint64_t>(
                core::nanosecondsFromMicroseconds(m_timestamp).value_or(0)
                + core::nanosecondsFromMicroseconds(m_duration).value_or(0));
            extracted.linkSum += m_correlation + m_externalId;
        }

        int m_depth = 0;
        bool m_isInEvents = false;
        bool m_isComplete = false;
        std::string_view m_key, m_name, m_timestamp, m_duration;
        std::uint64_t m_correlation = 0, m_externalId = 0;
    };

} // namespace

Extracted withRapidJson(std::string &json)
{
    constexpr unsigned Flags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
    Handler handler;
    rapidjson::InsituStringStream stream(json.data());
    rapidjson::Reader().Parse<Flags>(stream, handler);
    return handler.extracted;
}

} // namespace bench
