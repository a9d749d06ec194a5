#include "core/model/trace.h"

namespace core {

std::string_view trackKindName(TrackKind kind)
{
    switch (kind) {
    case TrackKind::HostThread:
        return "host_thread";
    case TrackKind::Stream:
        return "stream";
    case TrackKind::StreamSync:
        return "stream_sync";
    case TrackKind::Communication:
        return "communication";
    case TrackKind::Annotation:
        return "annotation";
    case TrackKind::Other:
        break;
    }
    return "other";
}

bool isOfDevice(const Track &track)
{
    return track.kind == TrackKind::Stream || track.kind == TrackKind::StreamSync
        || (track.kind == TrackKind::Annotation && track.device);
}

} // namespace core
