#include "core/import/tensorflow/xplane_rows.h"

#include "core/import/checked_index.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/tensorflow/hlo_collectives.h"
#include "core/import/text/decimal_time.h"

#include <algorithm>
#include <string>

namespace core {

namespace {

    constexpr std::string_view Digits = "0123456789";

    std::optional<int> deviceNumber(std::string_view text)
    {
        return checkedIndex(integerFrom(text.substr(0, text.find_first_not_of(Digits))));
    }

    /// NCCL's generic kernels do not say what they do, but the instruction that starts them.
    std::string_view withoutStart(std::string_view instruction)
    {
        return instruction.substr(0, instruction.find("-start"));
    }

    XPlaneRow deviceRow(std::string_view plane, std::string_view line)
    {
        // "/device:TPU:0", "/device:TPU:0 SparseCore 1"
        const std::size_t colon = plane.find(':', plane.find(':') + 1);
        const std::optional<int> device = colon == std::string_view::npos
            ? std::nullopt
            : deviceNumber(plane.substr(colon + 1));
        const bool isTpu = plane.find(":TPU:") != std::string_view::npos;
        const bool isMeasured = line.starts_with("Stream #") || (isTpu && line == "XLA Ops");
        return isMeasured ? XPlaneRow { TrackKind::Stream, Category::Kernel, device }
                          : XPlaneRow { TrackKind::Annotation, Category::GpuAnnotation, device };
    }

} // namespace

XPlaneRow xplaneRow(std::string_view plane, std::string_view line)
{
    if (plane.starts_with("/device:"))
        return deviceRow(plane, line);
    if (plane.starts_with("/host:"))
        return { TrackKind::HostThread, Category::CpuOp, std::nullopt };
    return {};
}

DeviceEventKind deviceEventKind(const DeviceEventTexts &texts)
{
    if (const auto kernel = communicationKernel(texts.name)) {
        const std::string_view kind = collectiveKind(*kernel);
        const auto instruction = hloCollective(withoutStart(texts.hloOp));
        return { Category::CommKernel, 0, kind == "other" && instruction ? *instruction : kind };
    }
    if (const auto instruction = hloCollective(texts.name))
        return { Category::CommKernel, hloResultBytes(texts.name), *instruction };
    if (!texts.copyDetails.empty())
        return { Category::Memcpy, detailedBytes(texts.copyDetails), {} };
    if (!texts.fillDetails.empty())
        return { Category::Memset, detailedBytes(texts.fillDetails), {} };
    return {};
}

std::optional<int> allocatorDevice(std::string_view allocator)
{
    const std::size_t gpu = std::min(allocator.find("GPU_"), allocator.find("gpu_"));
    return gpu == std::string_view::npos ? std::nullopt : deviceNumber(allocator.substr(gpu + 4));
}

std::uint64_t detailedBytes(std::string_view details)
{
    for (const std::string_view key :
         { std::string_view("num_bytes:"), std::string_view("size:") }) {
        const std::size_t at = details.find(key);
        if (at == std::string_view::npos)
            continue;
        const std::string_view number = details.substr(at + key.size());
        return unsignedFrom(number.substr(0, number.find_first_not_of(Digits))).value_or(0);
    }
    return 0;
}

} // namespace core
