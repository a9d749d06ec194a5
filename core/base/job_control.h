#pragma once

#include <functional>
#include <string_view>

namespace core {

/// Thrown by throwIfCancelled(); not an Error: a cancelled job is silent.
struct Cancelled
{
};

/// How a long-running core function hears of cancellation and tells its progress.
/// Default-constructed: never cancelled, silent. The callbacks are called from the thread that runs
/// the function (or from its worker threads, one at a time), must be cheap and must not throw. The
/// check of a job that is paused returns when it goes on.
class JobControl
{
public:
    using CancelCheck = std::function<bool()>;
    using Reporter = std::function<void(double fraction, std::string_view stage)>;

    JobControl() = default;
    JobControl(CancelCheck isCancelled, Reporter report)
        : m_isCancelled(std::move(isCancelled))
        , m_report(std::move(report))
    {
    }

    bool isCancelled() const { return m_isCancelled && m_isCancelled(); }
    /// fraction in 0..1 of the whole job; stage is a short phrase such as "import rank0.json".
    void report(double fraction, std::string_view stage) const
    {
        if (m_report)
            m_report(fraction, stage);
    }
    /// The same job seen as its part [from, to] of 0..1, for a stage that reports 0..1 itself.
    JobControl part(double from, double to) const
    {
        return { m_isCancelled, [report = m_report, from, to](double f, std::string_view stage) {
                    if (report)
                        report(from + f * (to - from), stage);
                } };
    }

private:
    CancelCheck m_isCancelled;
    Reporter m_report;
};

inline void throwIfCancelled(const JobControl &control)
{
    if (control.isCancelled())
        throw Cancelled {};
}

} // namespace core
