#pragma once

#include "core/model/trace.h"

#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

// Phases of the slices of one worker, found while slices stream by in their tracks' order. On host
// tracks the phase comes from what encloses a slice:
//   "autograd::engine::evaluate_function: ...", "MmBackward0", "GRADIENT COMPT. ..."  Backward
//   "Optimizer.step#...", "Optimizer.zero_grad#..."          Optimizer
//   "enumerate(DataLoader)#...", "dataloader.py(..): __next__" Input
//   "DistributedDataParallel.forward", "nn.Module: ...", "FORWARD ..."  Forward
//   other ops inside a "ProfilerStep#" (anywhere, if the worker has none)  Forward
// Ops of other frameworks tell it of themselves:
//   "FW.dense", "BW.dense", "UPDATE_0.adam", "I/O" of dPRO
//   "gradients/...", "gradient_tape/...", ".../ApplyMomentum", ".../ResourceApplyAdam" of
//   TensorFlow
//   "_backward_FullyConnected", "sgd_mom_update" of MXNet
// Device activities take the phase of the host slice that launched them (correlation, else
// external id), else that of their own name.

namespace core {

/// Is the phase of this track's slices found from what encloses them?
bool isHost(TrackKind kind);

/// What a name says about the slices inside its slice.
enum class NameMeaning : std::uint8_t {
    Unknown, ///< not looked up yet
    Nothing,
    Step,
    Forward,
    Backward,
    Optimizer,
    Input,
    // Of an op that says it of itself; the ops beside it may be of any phase.
    ForwardOp,
    BackwardOp,
    OptimizerOp,
    InputOp
};

using NameLookup = std::function<std::string_view(NameId)>;

/// Meanings by name id, looked up once a name.
class NameMeanings
{
public:
    explicit NameMeanings(NameLookup nameOf)
        : m_nameOf(std::move(nameOf))
    {
    }
    NameMeaning operator()(NameId name);

private:
    NameLookup m_nameOf;
    std::vector<NameMeaning> m_known;
};

/// What all slices of a host track together say.
class HostMarks
{
public:
    void add(NameMeaning meaning, std::uint8_t depth)
    {
        m_hasStep |= meaning == NameMeaning::Step;
        m_hasBackward |= meaning == NameMeaning::Backward && depth == 0;
        m_hasOther |= meaning != NameMeaning::Nothing && meaning != NameMeaning::Backward;
    }
    bool hasStep() const { return m_hasStep; }
    /// A thread of the autograd engine runs nothing but backward functions at its outermost level.
    bool isAutogradThread() const { return m_hasBackward && !m_hasOther; }

private:
    bool m_hasStep = false, m_hasBackward = false, m_hasOther = false;
};

/// Finds the phases of one host track.
class HostPhases
{
public:
    HostPhases(bool isAutogradThread, bool workerHasSteps);
    /// Phase of the next slice.
    Phase next(std::uint8_t depth, NameMeaning meaning, Category category);

private:
    /// What encloses a slice, as known at one depth.
    struct Scope
    {
        Phase phase = Phase::None;
        bool isInStep = false;
    };
    std::array<Scope, 257> m_scopes; ///< [d]: what encloses a slice of depth d
};

/// Phases of host slices by their link ids, for the device activities that they launched. Ids are
/// nearly dense in traces, so phases are kept in pages of neighbouring ids.
class PhaseLinks
{
public:
    /// maxBytes: links that need more memory than this are dropped and counted.
    explicit PhaseLinks(std::size_t maxBytes);

    /// A finished host slice: the first one of a link counts.
    void add(Category category, std::uint64_t correlation, std::uint64_t externalId, Phase phase);
    /// Phase of a slice on a device's track: that of the host slice that launched it, else what its
    /// name says of itself (`own`).
    Phase find(Category category, std::uint64_t correlation, std::uint64_t externalId,
               NameMeaning own) const;
    std::uint64_t dropped() const { return m_dropped; }

private:
    static constexpr std::size_t PageIds = 64;
    using Page = std::array<Phase, PageIds>;
    using Pages = std::unordered_map<std::uint64_t, Page>; ///< by id / PageIds

    void add(Pages &pages, std::uint64_t link, Phase phase);
    static Phase find(const Pages &pages, std::uint64_t link);

    Pages m_byCorrelation, m_byExternalId;
    std::size_t m_maxPages;
    std::uint64_t m_dropped = 0;
};

} // namespace core
