#pragma once

#include "core/base/error.h"

namespace core {

/// Thrown by a kind of change that finds on the way why a trace does not support it. Ends in
/// tryRewriting(), which makes a value of it.
class Infeasible : public Error
{
public:
    using Error::Error;
};

} // namespace core
