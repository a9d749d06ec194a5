#include "core/model/kinds/op_kind.h"

#include "core/base/ascii_text.h"

#include <algorithm>
#include <array>

namespace core {

std::string_view opTableKindName(OpTableKind kind)
{
    constexpr std::array<std::string_view, OpTableKinds> Names {
        "kernel", "communication", "copy", "framework op", "runtime call", "Python", "annotation"
    };
    return Names[static_cast<std::size_t>(kind)];
}

OpTableKind opTableKindOf(Category category)
{
    switch (category) {
    case Category::Kernel:
        return OpTableKind::Kernel;
    case Category::CommKernel:
    case Category::CommOp:
        return OpTableKind::Communication;
    case Category::Memcpy:
    case Category::Memset:
        return OpTableKind::Copy;
    case Category::CpuOp:
        return OpTableKind::FrameworkOp;
    case Category::Runtime:
    case Category::Sync:
        return OpTableKind::RuntimeCall;
    case Category::PythonFunction:
        return OpTableKind::Python;
    case Category::Other:
    case Category::UserAnnotation:
    case Category::GpuAnnotation:
    case Category::Overhead:
    case Category::Span:
        break;
    }
    return OpTableKind::Annotation;
}

std::string opKindWord(OpTableKind kind)
{
    std::string word = lowered(opTableKindName(kind));
    std::replace(word.begin(), word.end(), ' ', '-');
    return word;
}

std::vector<OpTableKind> opKindsNamed(std::string_view beginning)
{
    std::vector<OpTableKind> kinds;
    for (std::size_t i = 0; i < OpTableKinds && !beginning.empty(); ++i) {
        const auto kind = static_cast<OpTableKind>(i);
        if (opKindWord(kind).starts_with(lowered(beginning)))
            kinds.push_back(kind);
    }
    return kinds;
}

std::string allOpKindWords()
{
    std::string words;
    for (std::size_t i = 0; i < OpTableKinds; ++i) {
        words += i == 0 ? "" : ", ";
        words += opKindWord(static_cast<OpTableKind>(i));
    }
    return words;
}

} // namespace core
