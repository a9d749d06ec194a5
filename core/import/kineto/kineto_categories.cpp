#include "core/import/kineto/kineto_categories.h"

#include <algorithm>
#include <array>
#include <string>

namespace core {

namespace {

    constexpr auto Host = TrackKind::HostThread;
    constexpr auto Stream = TrackKind::Stream;
    constexpr auto StreamSync = TrackKind::StreamSync;
    constexpr auto Annotation = TrackKind::Annotation;

    constexpr std::array Categories = {
        KinetoCategory { "cpu_op", Category::CpuOp, Host },
        KinetoCategory { "Operator", Category::CpuOp, Host },
        KinetoCategory { "user_annotation", Category::UserAnnotation, Host },
        KinetoCategory { "python_function", Category::PythonFunction, Host },
        KinetoCategory { "cuda_runtime", Category::Runtime, Host },
        KinetoCategory { "cuda_driver", Category::Runtime, Host },
        KinetoCategory { "Runtime", Category::Runtime, Host },
        KinetoCategory { "mtia_runtime", Category::Runtime, Host },
        KinetoCategory { "glow_runtime", Category::Runtime, Host },
        KinetoCategory { "xpu_runtime", Category::Runtime, Host },
        KinetoCategory { "xpu_driver", Category::Runtime, Host },
        KinetoCategory { "privateuse1_runtime", Category::Runtime, Host },
        KinetoCategory { "privateuse1_driver", Category::Runtime, Host },
        KinetoCategory { "kernel", Category::Kernel, Stream },
        KinetoCategory { "Kernel", Category::Kernel, Stream },
        KinetoCategory { "mtia_ccp_events", Category::Kernel, Stream },
        KinetoCategory { "hpu_op", Category::Kernel, Stream },
        KinetoCategory { "collective_comm", Category::CommKernel, Stream },
        KinetoCategory { "gpu_memcpy", Category::Memcpy, Stream },
        KinetoCategory { "Memcpy", Category::Memcpy, Stream },
        KinetoCategory { "gpu_memset", Category::Memset, Stream },
        KinetoCategory { "Memset", Category::Memset, Stream },
        KinetoCategory { "cuda_sync", Category::Sync, StreamSync },
        KinetoCategory { "xpu_sync", Category::Sync, StreamSync },
        KinetoCategory { "cuda_event", Category::Sync, StreamSync },
        KinetoCategory { "gpu_user_annotation", Category::GpuAnnotation, Annotation },
        KinetoCategory { "Trace", Category::Span, Annotation },
        KinetoCategory { "overhead", Category::Overhead, TrackKind::Other },
        KinetoCategory { "cuda_profiler_range", Category::Other, Annotation },
        KinetoCategory { "xpu_scope_profiler", Category::Other, Annotation },
        KinetoCategory { "mtia_insight", Category::Other, Annotation },
        // Our own names, which an exported timeline has (categoryName); the others are Kineto's.
        KinetoCategory { "runtime", Category::Runtime, Host },
        KinetoCategory { "comm_kernel", Category::CommKernel, Stream },
        KinetoCategory { "memcpy", Category::Memcpy, Stream },
        KinetoCategory { "memset", Category::Memset, Stream },
        KinetoCategory { "sync", Category::Sync, StreamSync },
        KinetoCategory { "gpu_annotation", Category::GpuAnnotation, Annotation },
        KinetoCategory { "comm_op", Category::CommOp, TrackKind::Communication },
        KinetoCategory { "span", Category::Span, Annotation },
    };

} // namespace

KinetoCategory kinetoCategory(std::string_view name)
{
    const auto *const found
        = std::find_if(Categories.begin(), Categories.end(),
                       [name](const KinetoCategory &known) { return known.name == name; });
    return found != Categories.end()
        ? *found
        : KinetoCategory { name, Category::Other, TrackKind::Other, false };
}

bool mentionsKinetoCategory(std::string_view json)
{
    for (std::size_t at = json.find("\"cat\""); at != std::string_view::npos;
         at = json.find("\"cat\"", at + 1)) {
        const std::size_t open = json.find('"', at + 5);
        const std::size_t close = open == std::string_view::npos ? open : json.find('"', open + 1);
        if (close == std::string_view::npos)
            return false;
        const std::string_view name = json.substr(open + 1, close - open - 1);
        if (kinetoCategory(name).track != TrackKind::Other)
            return true;
    }
    return false;
}

} // namespace core
