#include "collectors/cupti/nvtx_injection.h"

#include "collectors/cupti/nvtx_handles.h"
#include "collectors/cupti/nvtx_ranges.h"
#include "collectors/format/errno_guard.h"

#include <cstdint>
#include <cwchar>
#include <string>
#include <string_view>

// Each call of NVTX, as the program makes it. What is thrown (for want of memory) ends here.
namespace collectors {

namespace {

    using nvtx::EventAttributes;

    /// UTF-8 of a text of wchar_t, which are Unicode characters on Linux.
    std::string narrow(const wchar_t *text)
    {
        std::string result;
        for (; text != nullptr && *text != L'\0'; ++text) {
            const auto c = static_cast<std::uint32_t>(*text);
            const auto add = [&result](std::uint32_t byte) { result += static_cast<char>(byte); };
            if (c < 0x80) {
                add(c);
            } else if (c < 0x800) {
                add(0xC0 | c >> 6U);
                add(0x80 | (c & 0x3FU));
            } else if (c < 0x10000) {
                add(0xE0 | c >> 12U);
                add(0x80 | (c >> 6U & 0x3FU));
                add(0x80 | (c & 0x3FU));
            } else {
                add(0xF0 | (c >> 18U & 0x07U));
                add(0x80 | (c >> 12U & 0x3FU));
                add(0x80 | (c >> 6U & 0x3FU));
                add(0x80 | (c & 0x3FU));
            }
        }
        return result;
    }

    std::string_view textOf(const char *text)
    {
        return text != nullptr ? text : "";
    }

    /// Does something with the message of an event; `otherwise` if there is no memory.
    template <class Result, class Action>
    Result withEvent(const EventAttributes *event, Result otherwise, Action action) noexcept
    {
        const ErrnoGuard errnoGuard;
        constexpr std::size_t LeastSize = offsetof(EventAttributes, message) + sizeof(void *);
        try {
            if (event == nullptr || event->size < LeastSize)
                return action(RangeText {});
            RangeText text;
            text.color = event->colorType == nvtx::ColorArgb ? event->color : 0;
            std::string narrowed;
            if (event->messageType == nvtx::MessageAscii) {
                text.name = textOf(static_cast<const char *>(event->message));
            } else if (event->messageType == nvtx::MessageUnicode) {
                narrowed = narrow(static_cast<const wchar_t *>(event->message));
                text.name = narrowed;
            } else if (event->messageType == nvtx::MessageRegistered && event->message != nullptr) {
                text.name = static_cast<const NamedHandle *>(event->message)->name;
            }
            return action(text);
        } catch (...) {
            return otherwise;
        }
    }

    /// As withEvent(), for a message of its own.
    template <class Result, class Action>
    Result withText(std::string_view name, Result otherwise, Action action) noexcept
    {
        const ErrnoGuard errnoGuard;
        try {
            return action(RangeText { name, 0, nullptr, {} });
        } catch (...) {
            return otherwise;
        }
    }

    template <class Result, class Action>
    Result withWideText(const wchar_t *name, Result otherwise, Action action) noexcept
    {
        const ErrnoGuard errnoGuard;
        try {
            return action(RangeText { narrow(name), 0, nullptr, {} });
        } catch (...) {
            return otherwise;
        }
    }

    RangeText inDomain(RangeText text, void *domain)
    {
        text.domain = domain;
        if (domain != nullptr)
            text.domainName = static_cast<const NamedHandle *>(domain)->name;
        return text;
    }

    constexpr std::uint64_t NoRange = 0;

    int pushEx(const EventAttributes *event)
    {
        return withEvent(event, int { nvtx::NoTracking }, &pushRange);
    }
    int pushA(const char *name)
    {
        return withText(textOf(name), int { nvtx::NoTracking }, &pushRange);
    }
    int pushW(const wchar_t *name)
    {
        return withWideText(name, int { nvtx::NoTracking }, &pushRange);
    }
    int pop()
    {
        const ErrnoGuard errnoGuard;
        return popRange(nullptr);
    }
    std::uint64_t startEx(const EventAttributes *event)
    {
        return withEvent(event, NoRange, &startRange);
    }
    std::uint64_t startA(const char *name)
    {
        return withText(textOf(name), NoRange, &startRange);
    }
    std::uint64_t startW(const wchar_t *name)
    {
        return withWideText(name, NoRange, &startRange);
    }
    void end(std::uint64_t range)
    {
        const ErrnoGuard errnoGuard;
        endRange(range);
    }
    void markEx(const EventAttributes *event)
    {
        withEvent(event, 0, &markMoment);
    }
    void markA(const char *name)
    {
        withText(textOf(name), 0, &markMoment);
    }
    void markW(const wchar_t *name)
    {
        withWideText(name, 0, &markMoment);
    }
    void domainMarkEx(void *domain, const EventAttributes *event)
    {
        withEvent(event, 0,
                  [domain](const RangeText &text) { return markMoment(inDomain(text, domain)); });
    }
    int domainPushEx(void *domain, const EventAttributes *event)
    {
        return withEvent(event, int { nvtx::NoTracking }, [domain](const RangeText &text) {
            return pushRange(inDomain(text, domain));
        });
    }
    int domainPop(void *domain)
    {
        const ErrnoGuard errnoGuard;
        return popRange(domain);
    }
    std::uint64_t domainStartEx(void *domain, const EventAttributes *event)
    {
        return withEvent(event, NoRange, [domain](const RangeText &text) {
            return startRange(inDomain(text, domain));
        });
    }
    void domainEnd(void *, std::uint64_t range)
    {
        end(range);
    }
    void *registerStringA(void *, const char *text)
    {
        return namedHandle(textOf(text));
    }
    void *registerStringW(void *, const wchar_t *text)
    {
        return withWideText<void *>(text, nullptr,
                                    [](const RangeText &wide) { return namedHandle(wide.name); });
    }
    void *createDomainA(const char *name)
    {
        return namedHandle(textOf(name));
    }
    void *createDomainW(const wchar_t *name)
    {
        return registerStringW(nullptr, name);
    }

    struct Table
    {
        nvtx::FunctionTable entries = nullptr;
        unsigned size = 0;

        template <class Function>
        void set(unsigned index, Function *function) const
        {
            if (index < size && entries[index] != nullptr)
                *entries[index] = reinterpret_cast<nvtx::FunctionPointer>(function);
        }
    };

    void attachCore(const Table &table)
    {
        table.set(nvtx::MarkEx, &markEx);
        table.set(nvtx::MarkA, &markA);
        table.set(nvtx::MarkW, &markW);
        table.set(nvtx::RangeStartEx, &startEx);
        table.set(nvtx::RangeStartA, &startA);
        table.set(nvtx::RangeStartW, &startW);
        table.set(nvtx::RangeEnd, &end);
        table.set(nvtx::RangePushEx, &pushEx);
        table.set(nvtx::RangePushA, &pushA);
        table.set(nvtx::RangePushW, &pushW);
        table.set(nvtx::RangePop, &pop);
    }

    void attachDomains(const Table &table)
    {
        table.set(nvtx::DomainMarkEx, &domainMarkEx);
        table.set(nvtx::DomainRangeStartEx, &domainStartEx);
        table.set(nvtx::DomainRangeEnd, &domainEnd);
        table.set(nvtx::DomainRangePushEx, &domainPushEx);
        table.set(nvtx::DomainRangePop, &domainPop);
        table.set(nvtx::DomainRegisterStringA, &registerStringA);
        table.set(nvtx::DomainRegisterStringW, &registerStringW);
        table.set(nvtx::DomainCreateA, &createDomainA);
        table.set(nvtx::DomainCreateW, &createDomainW);
    }

} // namespace

bool attachNvtx(nvtx::GetExportTable getExportTable) noexcept
{
    if (getExportTable == nullptr)
        return false;
    const auto *callbacks
        = static_cast<const nvtx::ExportTableCallbacks *>(getExportTable(nvtx::ExportCallbacks));
    if (callbacks == nullptr || callbacks->structSize < sizeof(*callbacks)
        || callbacks->moduleFunctionTable == nullptr)
        return false;
    Table core;
    Table domains;
    if (callbacks->moduleFunctionTable(nvtx::ModuleCore, &core.entries, &core.size) == 0)
        return false;
    attachCore(core);
    if (callbacks->moduleFunctionTable(nvtx::ModuleCore2, &domains.entries, &domains.size) != 0)
        attachDomains(domains);
    return true;
}

} // namespace collectors
