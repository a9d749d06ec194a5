#include "core/model/finish_track.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    /// What a name says about the slices inside its slice.
    enum class Meaning : std::uint8_t {
        Unknown,
        Nothing,
        Step,
        Forward,
        Backward,
        Optimizer,
        Input
    };

    bool contains(std::string_view text, std::string_view part)
    {
        return text.find(part) != std::string_view::npos;
    }

    /// "AddmmBackward", "ReluBackward1": a node of the autograd graph, which traces before PyTorch
    /// 1.9 show without the engine's evaluate_function around it.
    bool isAutogradNode(std::string_view name)
    {
        while (!name.empty() && name.back() >= '0' && name.back() <= '9')
            name.remove_suffix(1);
        return name.ends_with("Backward") && name.front() >= 'A' && name.front() <= 'Z'
            && !contains(name, " ");
    }

    Meaning meaningOf(std::string_view name)
    {
        if (name.starts_with("autograd::engine::evaluate_function") || isAutogradNode(name)
            || contains(name, "torch::autograd::AccumulateGrad"))
            return Meaning::Backward;
        if (name.starts_with("Optimizer."))
            return Meaning::Optimizer;
        if (name.starts_with("enumerate(DataLoader)")
            || (contains(name, "dataloader.py") && contains(name, "__next__")))
            return Meaning::Input;
        if (name.starts_with("DistributedDataParallel.forward") || name.starts_with("nn.Module: "))
            return Meaning::Forward;
        if (name.starts_with("ProfilerStep#"))
            return Meaning::Step;
        return Meaning::Nothing;
    }

    /// meaningOf() by name id, looked up once a name.
    class Meanings
    {
    public:
        explicit Meanings(const NameLookup &nameOf)
            : m_nameOf(nameOf)
        {
        }
        Meaning operator()(NameId name)
        {
            if (name.value >= m_known.size())
                m_known.resize(name.value + std::size_t(1), Meaning::Unknown);
            Meaning &meaning = m_known[name.value];
            if (meaning == Meaning::Unknown)
                meaning = meaningOf(m_nameOf(name));
            return meaning;
        }

    private:
        const NameLookup &m_nameOf;
        std::vector<Meaning> m_known;
    };

    bool isHost(TrackKind kind)
    {
        return kind == TrackKind::HostThread || kind == TrackKind::Other
            || kind == TrackKind::Communication;
    }

    /// What encloses a row, as known at one depth.
    struct Scope
    {
        Phase phase = Phase::None;
        bool isInStep = false;
    };

    Phase explicitPhase(Meaning meaning)
    {
        switch (meaning) {
        case Meaning::Forward:
            return Phase::Forward;
        case Meaning::Backward:
            return Phase::Backward;
        case Meaning::Optimizer:
            return Phase::Optimizer;
        case Meaning::Input:
            return Phase::Input;
        case Meaning::Unknown:
        case Meaning::Nothing:
        case Meaning::Step:
            break;
        }
        return Phase::None;
    }

    /// A thread of the autograd engine runs nothing but backward functions at its outermost level.
    bool isAutogradThread(const SliceColumns &slices, Meanings &meanings)
    {
        bool hasBackward = false;
        for (std::size_t row = 0; row < slices.size(); ++row) {
            const Meaning meaning = meanings(slices.name[row]);
            if (meaning != Meaning::Nothing && meaning != Meaning::Backward)
                return false;
            hasBackward = hasBackward || (meaning == Meaning::Backward && slices.depth[row] == 0);
        }
        return hasBackward;
    }

    void assignHostPhases(SliceColumns &slices, Meanings &meanings, bool workerHasSteps)
    {
        const bool isAutograd = isAutogradThread(slices, meanings);
        std::array<Scope, 257> scopes; // scopes[d]: what encloses a slice of depth d
        scopes[0] = { isAutograd ? Phase::Backward : Phase::None, !workerHasSteps };
        for (std::size_t row = 0; row < slices.size(); ++row) {
            const std::size_t depth = slices.depth[row];
            Scope scope = scopes[depth];
            const Meaning meaning = meanings(slices.name[row]);
            if (const Phase phase = explicitPhase(meaning); phase != Phase::None)
                scope.phase = phase;
            else if (scope.phase == Phase::None && scope.isInStep
                     && slices.category[row] == Category::CpuOp)
                scope.phase = Phase::Forward;
            scope.isInStep = scope.isInStep || meaning == Meaning::Step;
            slices.phase[row] = scope.phase;
            scopes[depth + 1] = scope;
        }
    }

    /// Phases of host slices by one of their link ids.
    class PhaseByLink
    {
    public:
        void add(std::uint64_t link, Phase phase)
        {
            if (link != 0 && phase != Phase::None)
                m_entries.push_back({ link, phase });
        }
        void finish()
        {
            const auto byLink = [](const Entry &a, const Entry &b) { return a.link < b.link; };
            if (!std::is_sorted(m_entries.begin(), m_entries.end(), byLink))
                std::stable_sort(m_entries.begin(), m_entries.end(), byLink);
        }
        Phase find(std::uint64_t link) const
        {
            if (link == 0)
                return Phase::None;
            const auto it = std::lower_bound(
                m_entries.begin(), m_entries.end(), link,
                [](const Entry &entry, std::uint64_t wanted) { return entry.link < wanted; });
            return it != m_entries.end() && it->link == link ? it->phase : Phase::None;
        }

    private:
        struct Entry
        {
            std::uint64_t link = 0;
            Phase phase = Phase::None;
        };
        std::vector<Entry> m_entries;
    };

    void collectLinks(const SliceColumns &slices, PhaseByLink &byCorrelation,
                      PhaseByLink &byExternalId)
    {
        for (std::size_t row = 0; row < slices.size(); ++row) {
            if (slices.category[row] == Category::Runtime)
                byCorrelation.add(slices.correlation[row], slices.phase[row]);
            else
                byExternalId.add(slices.externalId[row], slices.phase[row]);
        }
    }

    void assignDevicePhases(SliceColumns &slices, const PhaseByLink &byCorrelation,
                            const PhaseByLink &byExternalId)
    {
        for (std::size_t row = 0; row < slices.size(); ++row) {
            if (!isDeviceActivity(slices.category[row]))
                continue;
            Phase phase = byCorrelation.find(slices.correlation[row]);
            if (phase == Phase::None)
                phase = byExternalId.find(slices.externalId[row]);
            slices.phase[row] = phase;
        }
    }

    bool hasSteps(std::span<const Track> tracks, std::span<SliceColumns> slices, Meanings &meanings)
    {
        for (std::size_t i = 0; i < tracks.size(); ++i) {
            const bool isFound = isHost(tracks[i].kind)
                && std::any_of(slices[i].name.begin(), slices[i].name.end(),
                               [&](NameId name) { return meanings(name) == Meaning::Step; });
            if (isFound)
                return true;
        }
        return false;
    }

} // namespace

void assignPhases(std::span<const Track> tracks, std::span<SliceColumns> slices,
                  const NameLookup &nameOf)
{
    Meanings meanings(nameOf);
    const bool workerHasSteps = hasSteps(tracks, slices, meanings);
    PhaseByLink byCorrelation, byExternalId;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        slices[i].phase.assign(slices[i].size(), Phase::None);
        if (!isHost(tracks[i].kind))
            continue;
        assignHostPhases(slices[i], meanings, workerHasSteps);
        collectLinks(slices[i], byCorrelation, byExternalId);
    }
    byCorrelation.finish();
    byExternalId.finish();
    for (std::size_t i = 0; i < tracks.size(); ++i)
        if (!isHost(tracks[i].kind))
            assignDevicePhases(slices[i], byCorrelation, byExternalId);
}

} // namespace core
