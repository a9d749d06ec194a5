#pragma once

#include "core/model/trace.h"

#include <string>

namespace core {

/// What a bottleneck's advice can name: the calls of the framework that the trace is of, by the
/// names in it; where there is none (CUDA and NCCL programs), what every program can do.
class Advice
{
public:
    explicit Advice(const Trace &trace);

    std::string onBandwidth() const;
    std::string onExposedCommunication() const;
    std::string onHost(bool isAccelerated) const;
    std::string onInput() const;

private:
    enum class Framework { None, PyTorch, TensorFlowOrJax };

    static Framework frameworkOf(const Trace &trace);

    Framework m_framework;
};

} // namespace core
