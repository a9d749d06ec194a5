#include "tests/support/graph_text.h"

#include "core/graph/graph_builder.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace tests {

using namespace core;

namespace {

    class Reader
    {
    public:
        Graph read(std::string_view text)
        {
            std::istringstream lines { std::string(text) };
            for (std::string line; std::getline(lines, line);)
                readChain(line);
            return m_builder.build();
        }

    private:
        void readChain(const std::string &line)
        {
            std::istringstream words(line);
            std::optional<OpId> previous;
            for (std::string word; words >> word;) {
                if (word == "->")
                    continue;
                const OpId op = node(word);
                if (previous)
                    m_builder.addEdge(*previous, op, EdgeKind::Data);
                previous = op;
            }
        }

        OpId node(const std::string &word)
        {
            const std::string name = word.substr(0, word.find_first_of(":@+!#%"));
            const auto known = m_ops.find(name);
            if (known != m_ops.end())
                return known->second;
            OpSpec spec;
            spec.name = m_builder.intern(name);
            spec.kind = OpKind::Compute;
            spec.durationNs = number(word, ':');
            spec.delayNs = number(word, '+');
            spec.priority = static_cast<std::int32_t>(number(word, '!'));
            spec.bytes = static_cast<std::uint64_t>(number(word, '#'));
            spec.rateLimit = static_cast<float>(number(word, '%')) / 100;
            const auto at = word.find('@');
            spec.device
                = device(at == std::string::npos
                             ? name
                             : word.substr(at + 1, word.find_first_of("+!#%", at) - at - 1));
            return m_ops[name] = m_builder.addOp(spec);
        }

        static std::int64_t number(const std::string &word, char mark)
        {
            const auto at = word.find(mark);
            return at == std::string::npos ? 0 : std::stoll(word.substr(at + 1));
        }

        DeviceId device(const std::string &name)
        {
            const auto known = m_devices.find(name);
            if (known != m_devices.end())
                return known->second;
            Device device;
            device.name = name;
            if (name.starts_with("link")) {
                device.isLink = true;
                device.discipline = Discipline::Shared;
                device.capacity = name == "link2" ? 2 : 1000;
            } else if (name.starts_with("urgent") || name.starts_with("preempting")) {
                device.discipline = Discipline::Priority;
                device.preempts = name.starts_with("preempting");
            }
            if (name.find('~') != std::string::npos) {
                device.creditBytes = static_cast<std::uint64_t>(number(name, '~'));
                device.capacity = 1000;
            }
            return m_devices[name] = m_builder.addDevice(device);
        }

        GraphBuilder m_builder { { "" } };
        std::map<std::string, OpId> m_ops;
        std::map<std::string, DeviceId> m_devices;
    };

} // namespace

Graph graphFromText(std::string_view text)
{
    return Reader().read(text);
}

std::string timesText(const Graph &graph, const ReplayResult &result)
{
    std::vector<std::pair<std::int64_t, std::string>> parts;
    for (std::size_t i = 0; i < graph.size(); ++i)
        parts.push_back({ result.startNs[i],
                          graph.names[graph.name[i].value] + " " + std::to_string(result.startNs[i])
                              + "-" + std::to_string(result.endNs[i]) });
    std::sort(parts.begin(), parts.end());
    std::string text;
    for (const auto &part : parts)
        text += (text.empty() ? "" : ", ") + part.second;
    return text;
}

std::string pathText(const Graph &graph, const std::vector<OpId> &path)
{
    std::string text;
    for (const OpId op : path)
        text += (text.empty() ? "" : " ") + graph.names[graph.name[op.value].value];
    return text;
}

} // namespace tests
