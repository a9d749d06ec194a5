#include "core/fit/layers/fusible_ops.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace core {

namespace {

    /// In small letters, without underscores. Kinds of ops that XLA's and inductor's loop fusion
    /// take in.
    constexpr std::array<std::string_view, 22> FusibleWords {
        "elementwise", "relu",        "threshold",   "clamp",         "gelu",      "tanh",
        "sigmoid",     "silu",        "dropout",     "softmax",       "batchnorm", "bnfw",
        "bnbw",        "biasadd",     "layernorm",   "addv2",         "nllloss",   "cast",
        "mulbackward", "addbackward", "divbackward", "normalization",
    };

    /// Whole names of the framework's ops, whose words are also parts of others.
    constexpr std::array<std::string_view, 10> FusibleOps {
        "aten::add",  "aten::add_", "aten::sub",  "aten::sub_",  "aten::mul",
        "aten::mul_", "aten::div",  "aten::div_", "aten::where", "aten::neg",
    };

    /// Words of what is no loop over elements whatever else the name says.
    constexpr std::array<std::string_view, 5> OtherWords { "gemm", "conv", "accumulategrad",
                                                           "addmm", "attention" };

} // namespace

bool isFusible(std::string_view name)
{
    if (std::find(FusibleOps.begin(), FusibleOps.end(), name) != FusibleOps.end())
        return true;
    std::string small;
    small.reserve(name.size());
    for (const char letter : name)
        if (letter != '_')
            small.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
    const auto says = [&small](std::string_view word) { return small.find(word) != small.npos; };
    return std::none_of(OtherWords.begin(), OtherWords.end(), says)
        && std::any_of(FusibleWords.begin(), FusibleWords.end(), says);
}

} // namespace core
