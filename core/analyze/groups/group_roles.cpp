#include "core/analyze/groups/group_roles.h"

#include "core/base/ascii_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

namespace core {

namespace {

    struct RoleWord
    {
        std::string_view word;
        GroupRole role;
    };
    constexpr std::array RoleWords = {
        RoleWord { "data", GroupRole::Data },         RoleWord { "dp", GroupRole::Data },
        RoleWord { "ddp", GroupRole::Data },          RoleWord { "fsdp", GroupRole::Data },
        RoleWord { "hsdp", GroupRole::Data },         RoleWord { "zero", GroupRole::Data },
        RoleWord { "replicate", GroupRole::Data },    RoleWord { "shard", GroupRole::Data },
        RoleWord { "tensor", GroupRole::Tensor },     RoleWord { "tp", GroupRole::Tensor },
        RoleWord { "pipeline", GroupRole::Pipeline }, RoleWord { "pipe", GroupRole::Pipeline },
        RoleWord { "pp", GroupRole::Pipeline },       RoleWord { "context", GroupRole::Context },
        RoleWord { "cp", GroupRole::Context },        RoleWord { "sequence", GroupRole::Tensor },
        RoleWord { "expert", GroupRole::Expert },     RoleWord { "ep", GroupRole::Expert },
        RoleWord { "moe", GroupRole::Expert },
    };

    /// "EXPERT_DATA_PARALLEL_GROUP" -> expert, data, parallel, group.
    std::vector<std::string> wordsOf(std::string_view text)
    {
        std::vector<std::string> words(1);
        for (const char c : text) {
            if (std::isalpha(static_cast<unsigned char>(c)) != 0)
                words.back() += lowered(c);
            else if (!words.back().empty())
                words.emplace_back();
        }
        return words;
    }

    /// Few calls forward beside many backward are flags, losses or buffers.
    constexpr double LargestAside = 0.1;

    class RoleRules
    {
    public:
        explicit RoleRules(const GroupUse &use)
            : m_use(use)
            , m_allReduce(callsOf("all_reduce"))
            , m_allGather(callsOf("all_gather"))
            , m_reduceScatter(callsOf("reduce_scatter"))
            , m_allToAll(callsOf("all_to_all"))
            , m_send(callsOf("send"))
            , m_receive(callsOf("recv"))
        {
        }

        InferredRole find() const
        {
            if (m_send.all() > 0 && m_receive.all() > 0)
                return found(GroupRole::Pipeline, "sends and receives of activations");
            if (m_allToAll.all() > 0)
                return ofAllToAll();
            if (m_reduceScatter.all() > 0)
                return ofReduceScatter();
            if (m_allReduce.all() > 0)
                return ofAllReduce();
            return unknown();
        }

    private:
        GroupUse::Calls callsOf(const char *kind) const
        {
            const auto calls = m_use.perStep.find(kind);
            return calls == m_use.perStep.end() ? GroupUse::Calls {} : calls->second;
        }

        static InferredRole found(GroupRole role, const char *meaning) { return { role, meaning }; }
        static InferredRole unknown() { return {}; }

        InferredRole ofAllToAll() const
        {
            if (m_use.hasEmbeddings)
                return found(GroupRole::Embedding, "embeddings that are distributed over ranks");
            const bool isBothWays = m_allToAll.backward > 0 || !m_use.hasBackward;
            if (m_allToAll.forward > 0 && isBothWays)
                return found(GroupRole::Expert, "tokens go to their experts and back");
            return unknown();
        }

        InferredRole ofReduceScatter() const
        {
            if (m_reduceScatter.forward > LargestAside * m_reduceScatter.all())
                return m_allGather.all() > 0
                    ? found(GroupRole::Tensor, "layers gather and scatter the sequence")
                    : unknown();
            if (m_reduceScatter.backward > 0)
                return found(GroupRole::Data, "gradients are reduced to the shards of their ranks");
            return unknown();
        }

        InferredRole ofAllReduce() const
        {
            if (m_use.carriesNamedTensors)
                return found(GroupRole::Data, "gradients, by their names");
            const GroupUse::Calls &calls = m_allReduce;
            if (calls.backward > 0 && calls.forward <= LargestAside * calls.backward)
                return found(GroupRole::Data, "gradients are reduced");
            const bool isBothWays = calls.backward >= calls.forward / 2;
            if (calls.forward >= 2 && (isBothWays || !m_use.hasBackward))
                return found(GroupRole::Tensor, "layers add up their parts");
            return unknown();
        }

        const GroupUse &m_use;
        GroupUse::Calls m_allReduce, m_allGather, m_reduceScatter, m_allToAll, m_send, m_receive;
    };

} // namespace

std::string_view groupRoleName(GroupRole role)
{
    switch (role) {
    case GroupRole::Data:
        return "data";
    case GroupRole::Tensor:
        return "tensor";
    case GroupRole::Pipeline:
        return "pipeline";
    case GroupRole::Expert:
        return "expert";
    case GroupRole::Context:
        return "context";
    case GroupRole::Embedding:
        return "embedding";
    case GroupRole::Unknown:
        break;
    }
    return "unknown";
}

GroupRole statedRole(std::string_view description)
{
    std::set<GroupRole> roles;
    for (const std::string &word : wordsOf(description))
        for (const RoleWord &known : RoleWords)
            if (word == known.word)
                roles.insert(known.role);
    // The data or tensor parallel ranks of an expert are that first.
    if (roles.size() > 1)
        roles.erase(GroupRole::Expert);
    return roles.size() == 1 ? *roles.begin() : GroupRole::Unknown;
}

InferredRole inferredRole(const GroupUse &use)
{
    return RoleRules(use).find();
}

} // namespace core
