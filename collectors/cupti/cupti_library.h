#pragma once

#include "collectors/cupti/cupti_abi.h"

#include <string>

namespace collectors {

/// Entry points of the libcupti that the process runs with; those marked optional may be nullptr.
struct CuptiLibrary
{
    cupti::Result (*getVersion)(std::uint32_t *) = nullptr;
    cupti::Result (*getTimestamp)(std::uint64_t *) = nullptr;
    cupti::Result (*getResultString)(cupti::Result, const char **) = nullptr;
    cupti::Result (*subscribe)(cupti::Subscriber *, cupti::Callback, void *) = nullptr;
    cupti::Result (*subscribe2)(cupti::Subscriber *, cupti::Callback, void *,
                                cupti::SubscriberParams *)
        = nullptr; ///< optional
    cupti::Result (*unsubscribe)(cupti::Subscriber) = nullptr; ///< optional
    cupti::Result (*enableCallback)(std::uint32_t enable, cupti::Subscriber, std::uint32_t domain,
                                    std::uint32_t id)
        = nullptr;
    cupti::Result (*getCallbackName)(std::uint32_t domain, std::uint32_t id, const char **)
        = nullptr;
    cupti::Result (*registerCallbacks)(cupti::BufferRequested, cupti::BufferCompleted) = nullptr;
    cupti::Result (*enable)(std::uint32_t kind) = nullptr;
    cupti::Result (*disable)(std::uint32_t kind) = nullptr;
    cupti::Result (*flushAll)(std::uint32_t flags) = nullptr;
    cupti::Result (*nextRecord)(std::uint8_t *buffer, std::size_t validBytes, std::uint8_t **record)
        = nullptr;
    cupti::Result (*droppedRecords)(void *context, std::uint32_t stream, std::size_t *count)
        = nullptr;
    cupti::Result (*pushExternalId)(std::uint32_t kind, std::uint64_t id) = nullptr;
    cupti::Result (*popExternalId)(std::uint32_t kind, std::uint64_t *id) = nullptr;
    cupti::Result (*graphNodeId)(void *node, std::uint64_t *id) = nullptr; ///< optional
    cupti::Result (*graphId)(void *graph, std::uint32_t *id) = nullptr; ///< optional
    cupti::Result (*setThreadIdType)(std::uint32_t type) = nullptr; ///< optional
    cupti::Result (*enableRuntimeApi)(std::uint32_t id, std::uint8_t enable)
        = nullptr; ///< optional
    cupti::Result (*enableDriverApi)(std::uint32_t id, std::uint8_t enable) = nullptr; ///< optional
    cupti::Result (*enableAllSyncRecords)(std::uint8_t enable) = nullptr; ///< optional

    std::uint32_t version = 0; ///< as cuptiGetVersion has it
    std::string path; ///< that it was loaded from

    /// Records of synchronisation and events carry the id that joins them (CUDA 12.8).
    bool hasEventSyncIds() const { return version >= 26; }
    /// "CUPTI_ERROR_UNKNOWN (999)".
    std::string describe(cupti::Result result) const;
};

/// The libcupti that the process has loaded already, else the one beside its CUDA runtime, else
/// that of the system; `wanted` alone if it is not empty. On failure false, and `error` says why.
/// A libcupti whose records' layout is not known is refused.
bool loadCupti(const std::string &wanted, CuptiLibrary &library, std::string &error);

} // namespace collectors
