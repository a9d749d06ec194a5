#pragma once

#include "core/model/trace.h"

#include <string>

namespace core {

/// What a bottleneck's advice can name: the calls of PyTorch where the trace is of a PyTorch
/// program, else what every framework has, with the calls of TensorFlow and JAX as examples.
class Advice
{
public:
    explicit Advice(const Trace &trace);

    std::string onBandwidth() const;
    std::string onExposedCommunication() const;
    std::string onHost(bool isAccelerated) const;
    std::string onInput() const;

private:
    bool m_isPyTorch = false;
};

} // namespace core
