#include "core/model/phases.h"

#include <algorithm>
#include <array>

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

    /// TensorFlow's, of either generation; Python's functions have their file's name.
    bool isGradientScope(std::string_view name)
    {
        return (name.starts_with("gradients/") || contains(name, "/gradients/")
                || name.starts_with("gradient_tape/") || contains(name, "/gradient_tape/"))
            && !contains(name, ".py");
    }

    bool isDproOp(std::string_view name, std::string_view category)
    {
        return name.starts_with(category) && name.substr(category.size()).starts_with('.');
    }

    /// TensorFlow's optimizers end in an operator that applies a gradient.
    bool appliesGradient(std::string_view name)
    {
        const std::size_t slash = name.rfind('/');
        if (slash == std::string_view::npos)
            return false;
        std::string_view op = name.substr(slash + 1);
        for (const std::string_view prefix :
             { std::string_view("Resource"), std::string_view("Sparse") })
            if (op.starts_with(prefix))
                op.remove_prefix(prefix.size());
        return op.starts_with("Apply") && !op.ends_with(".py");
    }

    /// "sgd_mom_update", "multi_mp_sgd_update", "adam_update".
    bool isMxnetUpdate(std::string_view name)
    {
        constexpr std::array Optimizers
            = { std::string_view("sgd"),      std::string_view("mp_"),
                std::string_view("multi_"),   std::string_view("preloaded_multi_"),
                std::string_view("adam"),     std::string_view("_adamw"),
                std::string_view("nag_"),     std::string_view("rmsprop"),
                std::string_view("ftrl_"),    std::string_view("ftml_"),
                std::string_view("signsgd_"), std::string_view("signum_"),
                std::string_view("lamb_") };
        return name.ends_with("_update")
            && std::any_of(Optimizers.begin(), Optimizers.end(),
                           [name](std::string_view prefix) { return name.starts_with(prefix); });
    }

    /// Of frameworks whose ops tell their phase themselves.
    NameMeaning meaningOfOp(std::string_view name)
    {
        if (isDproOp(name, "FW"))
            return NameMeaning::ForwardOp;
        if (isDproOp(name, "BW") || name.starts_with("_backward_") || isGradientScope(name))
            return NameMeaning::BackwardOp;
        if (name.starts_with("UPDATE_") || appliesGradient(name) || isMxnetUpdate(name))
            return NameMeaning::OptimizerOp;
        if (name == "I/O" || isDproOp(name, "I/O"))
            return NameMeaning::InputOp;
        return NameMeaning::Nothing;
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
        return meaningOfOp(name);
    }

    /// The phase that an op tells of itself; other meanings are of what a slice encloses.
    Phase phaseOfOp(NameMeaning meaning)
    {
        switch (meaning) {
        case NameMeaning::ForwardOp:
            return Phase::Forward;
        case NameMeaning::BackwardOp:
            return Phase::Backward;
        case NameMeaning::OptimizerOp:
            return Phase::Optimizer;
        case NameMeaning::InputOp:
            return Phase::Input;
        default:
            return Phase::None;
        }
    }

    Phase explicitPhase(NameMeaning meaning)
    {
        switch (meaning) {
        case NameMeaning::ForwardOp:
        case NameMeaning::BackwardOp:
        case NameMeaning::OptimizerOp:
        case NameMeaning::InputOp:
            return phaseOfOp(meaning);
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

Phase PhaseLinks::find(Category category, std::uint64_t correlation, std::uint64_t externalId,
                       NameMeaning own) const
{
    if (!isDeviceActivity(category))
        return Phase::None;
    if (const Phase phase = find(m_byCorrelation, correlation); phase != Phase::None)
        return phase;
    const Phase phase = find(m_byExternalId, externalId);
    return phase != Phase::None ? phase : phaseOfOp(own);
}

Phase PhaseLinks::find(const Pages &pages, std::uint64_t link)
{
    const auto page = pages.find(link / PageIds);
    return page == pages.end() ? Phase::None : page->second[link % PageIds];
}

} // namespace core
