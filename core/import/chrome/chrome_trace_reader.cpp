#include "core/import/chrome/chrome_trace_reader.h"

#include "core/import/chrome/chrome_batch.h"
#include "core/import/chrome/chrome_trace_scan.h"

#include <exception>
#include <future>
#include <optional>
#include <system_error>

namespace core {

namespace {

    /// Finds what stands in a file on a thread of its own, a few batches ahead of the thread that
    /// consumes it.
    class ScanThread
    {
    public:
        ScanThread(BundleEntry &entry, const JobControl &control)
            : m_entry(entry)
            , m_control(control)
            , m_thread(std::async(std::launch::async, [this] { run(); }))
        {
        }
        ~ScanThread() { m_ring.stop(); }
        ScanThread(const ScanThread &) = delete;
        ScanThread &operator=(const ScanThread &) = delete;

        /// Gives all that is found to the consumer, in the file's order; then what made the search
        /// fail is thrown.
        void moveTo(ChromeTraceConsumer &consumer, Diagnostics &diagnostics)
        {
            while (ChromeBatch *batch = m_ring.waitForValue()) {
                batch->moveTo(consumer);
                m_ring.pop();
            }
            diagnostics.merge(m_found);
            m_thread.get();
        }

    private:
        void run()
        {
            std::exception_ptr failure;
            try {
                JsonWindow window(m_entry, m_found, m_control);
                ChromeBatchWriter writer(window, m_ring);
                try {
                    scanChromeTrace(window, m_found, writer, m_entry.name());
                } catch (...) {
                    failure = std::current_exception();
                }
                writer.flush();
            } catch (...) {
                failure = std::current_exception();
            }
            m_ring.close();
            if (failure)
                std::rethrow_exception(failure);
        }

        BundleEntry &m_entry;
        const JobControl &m_control;
        Diagnostics m_found; ///< of the thread, until it closes the ring
        ChromeBatchRing m_ring;
        std::future<void> m_thread; ///< last: it uses all of the above; waits when destroyed
    };

} // namespace

void readChromeTrace(BundleEntry &entry, Diagnostics &diagnostics, ChromeTraceConsumer &consumer,
                     const JobControl &control)
{
    std::optional<ScanThread> thread;
    try {
        thread.emplace(entry, control);
    } catch (const std::system_error &) { // the system gives no more threads
        JsonWindow window(entry, diagnostics, control);
        return scanChromeTrace(window, diagnostics, consumer, entry.name());
    }
    thread->moveTo(consumer, diagnostics);
}

} // namespace core
