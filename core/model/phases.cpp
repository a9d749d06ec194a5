#include "core/model/phases.h"

namespace core {

namespace {

    /// Of a page and its place in the hash table.
    constexpr std::size_t PageBytes = 128;

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

    NameMeaning meaningOf(std::string_view name)
    {
        if (name.starts_with("autograd::engine::evaluate_function") || isAutogradNode(name)
            || contains(name, "torch::autograd::AccumulateGrad")
            || name.starts_with("GRADIENT COMPT."))
            return NameMeaning::Backward;
        if (name.starts_with("Optimizer."))
            return NameMeaning::Optimizer;
        if (name.starts_with("enumerate(DataLoader)")
            || (contains(name, "dataloader.py") && contains(name, "__next__")))
            return NameMeaning::Input;
        if (name.starts_with("DistributedDataParallel.forward") || name.starts_with("nn.Module: ")
            || name.starts_with("FORWARD "))
            return NameMeaning::Forward;
        if (name.starts_with("ProfilerStep#"))
            return NameMeaning::Step;
        return NameMeaning::Nothing;
    }

    Phase explicitPhase(NameMeaning meaning)
    {
        switch (meaning) {
        case NameMeaning::Forward:
            return Phase::Forward;
        case NameMeaning::Backward:
            return Phase::Backward;
        case NameMeaning::Optimizer:
            return Phase::Optimizer;
        case NameMeaning::Input:
            return Phase::Input;
        case NameMeaning::Unknown:
        case NameMeaning::Nothing:
        case NameMeaning::Step:
            break;
        }
        return Phase::None;
    }

} // namespace

bool isHost(TrackKind kind)
{
    return kind == TrackKind::HostThread || kind == TrackKind::Other
        || kind == TrackKind::Communication;
}

NameMeaning NameMeanings::operator()(NameId name)
{
    if (name.value >= m_known.size())
        m_known.resize(name.value + std::size_t(1), NameMeaning::Unknown);
    NameMeaning &meaning = m_known[name.value];
    if (meaning == NameMeaning::Unknown)
        meaning = meaningOf(m_nameOf(name));
    return meaning;
}

HostPhases::HostPhases(bool isAutogradThread, bool workerHasSteps)
{
    m_scopes[0] = { isAutogradThread ? Phase::Backward : Phase::None, !workerHasSteps };
}

Phase HostPhases::next(std::uint8_t depth, NameMeaning meaning, Category category)
{
    Scope scope = m_scopes[depth];
    if (const Phase phase = explicitPhase(meaning); phase != Phase::None)
        scope.phase = phase;
    else if (scope.phase == Phase::None && scope.isInStep && category == Category::CpuOp)
        scope.phase = Phase::Forward;
    scope.isInStep = scope.isInStep || meaning == NameMeaning::Step;
    m_scopes[depth + std::size_t(1)] = scope;
    return scope.phase;
}

PhaseLinks::PhaseLinks(std::size_t maxBytes)
    : m_maxPages(maxBytes / PageBytes)
{
}

void PhaseLinks::add(Category category, std::uint64_t correlation, std::uint64_t externalId,
                     Phase phase)
{
    if (category == Category::Runtime)
        add(m_byCorrelation, correlation, phase);
    else
        add(m_byExternalId, externalId, phase);
}

void PhaseLinks::add(Pages &pages, std::uint64_t link, Phase phase)
{
    if (link == 0 || phase == Phase::None)
        return;
    auto page = pages.find(link / PageIds);
    if (page == pages.end()) {
        if (m_byCorrelation.size() + m_byExternalId.size() >= m_maxPages) {
            ++m_dropped;
            return;
        }
        page = pages.emplace(link / PageIds, Page {}).first;
    }
    Phase &known = page->second[link % PageIds];
    if (known == Phase::None)
        known = phase;
}

Phase PhaseLinks::find(Category category, std::uint64_t correlation, std::uint64_t externalId) const
{
    if (!isDeviceActivity(category))
        return Phase::None;
    const Phase phase = find(m_byCorrelation, correlation);
    return phase != Phase::None ? phase : find(m_byExternalId, externalId);
}

Phase PhaseLinks::find(const Pages &pages, std::uint64_t link)
{
    const auto page = pages.find(link / PageIds);
    return page == pages.end() ? Phase::None : page->second[link % PageIds];
}

} // namespace core
