#include "core/import/kineto/kineto_details.h"

#include "core/import/kineto/collective_kernels.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/rank_limit.h"
#include "core/import/text/decimal_time.h"
#include "core/import/text/json_members.h"

#include <algorithm>
#include <utility>

namespace core {

namespace {

    void addCollective(KinetoDetails &details, const ChromeArgs &args, std::string_view kind)
    {
        details.isCollective = true;
        details.collective.kind = collectiveKind(kind);
        details.collective.group = args.processGroup;
        if (args.collectiveSequence && *args.collectiveSequence >= 0)
            details.collective.sequence = static_cast<std::uint64_t>(*args.collectiveSequence);
        if (args.groupSize && *args.groupSize > 0 && *args.groupSize < RankLimit)
            details.collective.groupSize = static_cast<int>(*args.groupSize);
    }

    void describeKernel(KinetoDetails &details, const ChromeEvent &event)
    {
        const auto fromName = communicationKernel(event.name);
        const ChromeArgs &args = event.args;
        const bool isByOp
            = collectiveKind(args.collectiveName) != "other" && !isHelperKernel(event.name);
        if (!fromName && !isByOp && details.category != Category::CommKernel)
            return;
        details.category = Category::CommKernel;
        addCollective(details, args,
                      args.collectiveName.empty() ? fromName.value_or(event.name)
                                                  : args.collectiveName);
        const auto elements
            = static_cast<std::uint64_t>(std::max<std::int64_t>(args.inElements.value_or(0), 0));
        const std::uint64_t stated = elementSize(args.dtype);
        const std::uint64_t elementBytes = stated != 0 ? stated : reducedElementSize(event.name);
        std::uint64_t bytes = 0;
        if (!__builtin_mul_overflow(elements, elementBytes, &bytes) && bytes > 0)
            details.bytes = bytes;
    }

    /// A parameter whose gradient becomes ready, or is copied out of DDP's bucket: its size lays
    /// out the buckets.
    bool isGradient(std::string_view name)
    {
        return name == "torch::autograd::AccumulateGrad"
            || name == "torch.distributed.ddp.reducer::copy_bucket_to_grad";
    }

    /// Communication that runs on the host: on a backend's own threads, and in rows that a reducer
    /// wrote by hand.
    void describeHostCommunication(KinetoDetails &details, const ChromeEvent &event)
    {
        const ChromeArgs &args = event.args;
        if (!args.inputDims.empty() && (isGradient(event.name) || event.name.starts_with("aten::")))
            details.bytes = tensorBytes(args.inputDims, args.inputTypes);
        if (const auto operation = communicationOp(event.name)) {
            addCollective(details, args, *operation);
            details.bytes = tensorBytes(args.inputDims, args.inputTypes);
        } else if (args.bytes > 0) {
            const auto transfer = recordedTransfer(event.name);
            if (!transfer)
                return;
            if (transfer->isCollective)
                addCollective(details, args, "all_reduce");
            if (transfer->isBucket)
                details.collective.group = "bucket";
        } else {
            return;
        }
        details.category = Category::CommOp;
        details.track = TrackKind::Communication;
    }

    /// Kineto writes -1, or that as unsigned number, where there is no stream or no call.
    bool isGiven(const std::optional<std::int64_t> &id)
    {
        return id && *id >= 0 && *id != 0xffffffff;
    }

    void describeWait(KinetoDetails &details, const ChromeEvent &event)
    {
        const ChromeArgs &args = event.args;
        details.isWait = true;
        if (isGiven(args.waitOnStream))
            details.sync.waitOnStream = args.waitOnStream;
        if (isGiven(args.waitOnCorrelation))
            details.sync.waitOnCorrelation = static_cast<std::uint64_t>(*args.waitOnCorrelation);
        if (isGiven(args.stream))
            details.sync.stream = args.stream;
        if (event.name == "Stream Sync") // here `stream` is what the host waits for
            std::swap(details.sync.stream, details.sync.waitOnStream);
    }

    std::uint64_t argumentOf(const ChromeEvent &event, std::string_view name)
    {
        std::optional<std::uint64_t> number;
        json::forEachMember(event.argsText, [&](std::string_view key, std::string_view value) {
            if (key == name)
                number = json::naturalIn(value);
        });
        return number.value_or(0);
    }

    constexpr std::string_view MtiaActivities = "mtia_ccp_events";

    /// MTIA writes all that its streams do under one category. False for what computes.
    bool describeMtia(KinetoDetails &details, const ChromeEvent &event)
    {
        if (event.name == "dma_request") {
            details.category = Category::Memcpy;
            details.bytes = argumentOf(event, "size");
            return true;
        }
        const bool isWait = event.name == "event_wait";
        if (!isWait && event.name != "event_record")
            return false;
        details.category = Category::Sync;
        details.track = TrackKind::StreamSync;
        if (isWait)
            describeWait(details, event);
        return true;
    }

} // namespace

KinetoDetails kinetoDetails(const ChromeEvent &event, const KinetoCategory &kind)
{
    KinetoDetails details;
    details.category = kind.category;
    details.track = kind.track;
    details.bytes = event.args.bytes;
    if (kind.name == MtiaActivities && describeMtia(details, event))
        return details;
    switch (kind.category) {
    case Category::Kernel:
    case Category::CommKernel:
        describeKernel(details, event);
        break;
    case Category::CpuOp:
    case Category::UserAnnotation:
        describeHostCommunication(details, event);
        break;
    case Category::CommOp:
        if (const auto operation = communicationOp(event.name))
            addCollective(details, event.args, *operation);
        else if (!event.args.collectiveName.empty())
            addCollective(details, event.args, event.args.collectiveName);
        break;
    case Category::Sync:
        if (kind.name != "cuda_event")
            describeWait(details, event);
        break;
    default:
        break;
    }
    return details;
}

std::optional<std::int64_t> kinetoDevice(const ChromeEvent &event, TrackKind track, bool isLabelled)
{
    if (track != TrackKind::Stream && track != TrackKind::StreamSync
        && track != TrackKind::Annotation)
        return std::nullopt;
    return event.args.device || isLabelled ? event.args.device : integerFrom(event.pid);
}

} // namespace core
