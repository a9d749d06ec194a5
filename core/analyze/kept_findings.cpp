#include "core/analyze/kept_findings.h"

#include "core/base/error.h"

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace core {

namespace {

    /// A field of either archive: the writer's are const.
    template <class T, class Value>
    concept Kept = std::same_as<std::remove_const_t<T>, Value>;

    // Every function names all fields of its struct: a new field does not compile before it is
    // kept.
    // clang-format off
    template <class A, class Tag, class V> void keep(A &a, Id<Tag, V> &v) { a(v.value); }
    template <class A, class Tag, class V> void keep(A &a, const Id<Tag, V> &v) { a(v.value); }
    template <class A, Kept<TimeRange> T> void keep(A &a, T &v)
    { auto &[start, end] = v; a(start, end); }
    template <class A, Kept<TimeBreakdown> T> void keep(A &a, T &v)
    { auto &[window, compute, comm, overlap, exposed, mem, idle, wait] = v;
      a(window, compute, comm, overlap, exposed, mem, idle, wait); }
    template <class A, Kept<DeviceBreakdown> T> void keep(A &a, T &v)
    { auto &[device, time, mean] = v; a(device, time, mean); }
    template <class A, Kept<IterationBreakdown> T> void keep(A &a, T &v)
    { auto &[index, range, time, isCompared] = v; a(index, range, time, isCompared); }
    template <class A, Kept<RankWait> T> void keep(A &a, T &v)
    { auto &[rank, ns, alone] = v; a(rank, ns, alone); }
    template <class A, Kept<RankDiagnosis> T> void keep(A &a, T &v)
    { auto &[worker, rank, devices, iterations, waits] = v;
      a(worker, rank, devices, iterations, waits); }
    template <class A, Kept<CriticalOp> T> void keep(A &a, T &v)
    { auto &[name, rank, device, start, duration, kind, slice, isGap, waitsFor] = v;
      static_cast<void>(waitsFor); // no gaps are kept
      a(name, rank, device, start, duration, kind, slice, isGap); }
    template <class A, Kept<CriticalStage> T> void keep(A &a, T &v)
    { auto &[stage, duration, tensor, rank, longest] = v;
      a(stage, duration, tensor, rank, longest); }
    template <class A, Kept<CriticalPathParts> T> void keep(A &a, T &v)
    { auto &[compute, comm, copy, host, launch, input, wait, idle, unrecorded] = v;
      a(compute, comm, copy, host, launch, input, wait, idle, unrecorded); }
    template <class A, Kept<CriticalPathIteration> T> void keep(A &a, T &v)
    { auto &[index, isCounted, parts] = v; a(index, isCounted, parts); }
    template <class A, Kept<NearCriticalOp> T> void keep(A &a, T &v)
    { auto &[name, rank, device, start, longest, duration, mean, kind, slack, times, its, slice] = v;
      a(name, rank, device, start, longest, duration, mean, kind, slack, times, its, slice); }
    template <class A, Kept<NearCriticalIteration> T> void keep(A &a, T &v)
    { auto &[index, count, ops] = v; a(index, count, ops); }
    template <class A, Kept<NearCriticalReport> T> void keep(A &a, T &v)
    { auto &[limit, iterations, steady, count] = v; a(limit, iterations, steady, count); }
    template <class A, Kept<CollectiveRankReport> T> void keep(A &a, T &v)
    { auto &[worker, rank, slice, start, end, wait, transfer] = v;
      a(worker, rank, slice, start, end, wait, transfer); }
    template <class A, Kept<CollectiveBlame> T> void keep(A &a, T &v)
    { auto &[op, device, slice, start, end] = v; a(op, device, slice, start, end); }
    template <class A, Kept<CollectiveReport> T> void keep(A &a, T &v)
    { auto &[name, group, seq, bytes, last, late, blame, unknown, isCompared, ranks] = v;
      a(name, group, seq, bytes, last, late, blame, unknown, isCompared, ranks); }
    template <class A, Kept<OpTypeSlowdown> T> void keep(A &a, T &v)
    { auto &[name, ns, median, others, kind, before, behind] = v;
      a(name, ns, median, others, kind, before, behind); }
    template <class A, Kept<WorkBesideOthers> T> void keep(A &a, T &v)
    { auto &[kind, ns, others, rows] = v; a(kind, ns, others, rows); }
    template <class A, Kept<RankSlowdown> T> void keep(A &a, T &v)
    { auto &[rank, own, median, others, kinds, ops, fastest] = v;
      a(rank, own, median, others, kinds, ops, fastest); }
    template <class A, Kept<StragglerReport> T> void keep(A &a, T &v)
    { auto &[ranks, isRecorded, isWithout, ideal, obstacle] = v;
      a(ranks, isRecorded, isWithout, ideal, obstacle); }
    template <class A, Kept<HostGap> T> void keep(A &a, T &v)
    { auto &[rank, before, behind, mean, share, others, times, slice, longest] = v;
      a(rank, before, behind, mean, share, others, times, slice, longest); }
    template <class A, Kept<IterationGroups> T> void keep(A &a, T &v)
    { auto &[slower, count, slowerNs, others, length, areKinds] = v;
      a(slower, count, slowerNs, others, length, areKinds); }
    template <class A, Kept<KindOperation> T> void keep(A &a, T &v)
    { auto &[name, ranks, times, usual, ns, usualNs] = v; a(name, ranks, times, usual, ns, usualNs); }
    template <class A, Kept<IterationKind> T> void keep(A &a, T &v)
    { auto &[positions, operations] = v; a(positions, operations); }
    template <class A, Kept<KindReport> T> void keep(A &a, T &v)
    { auto &[kind, iterations, median] = v; a(kind, iterations, median); }
    template <class A, Kept<PeriodReport> T> void keep(A &a, T &v)
    { auto &[length, kinds, mean] = v; a(length, kinds, mean); }
    template <class A, Kept<SlowIterationsCause> T> void keep(A &a, T &v)
    { auto &[rank, isOfOne, late, why, op] = v; a(rank, isOfOne, late, why, op); }
    template <class A, Kept<GainInterval> T> void keep(A &a, T &v)
    { auto &[low, high] = v; a(low, high); }
    template <class A, Kept<JudgedGain> T> void keep(A &a, T &v)
    { auto &[interval, unknown] = v; a(interval, unknown); }
    template <class A, Kept<Bottleneck> T> void keep(A &a, T &v)
    { auto &[title, effect, cost, reason, kind, evidence, isBound, strategy, predicted, gain,
             interval, unknown, fraction, advice, slice, range] = v;
      a(title, effect, cost, reason, kind, evidence, isBound, strategy, predicted, gain, interval,
        unknown, fraction, advice, slice, range); }
    template <class A, Kept<OperationTime> T> void keep(A &a, T &v)
    { auto &[name, kind, ranks, count, ns, share, mean, deviation, leastRank, mostRank, least,
             most] = v;
      a(name, kind, ranks, count, ns, share, mean, deviation, leastRank, mostRank, least, most); }
    template <class A, Kept<LongestOperations> T> void keep(A &a, T &v)
    { auto &[names, operations] = v; a(names, operations); }
    template <class A, Kept<ProcessGroup> T> void keep(A &a, T &v)
    { auto &[name, kind, description, role, basis, evidence, ranks, areStated, calls] = v;
      a(name, kind, description, role, basis, evidence, ranks, areStated, calls); }
    template <class A, Kept<ReplayedIterations> T> void keep(A &a, T &v)
    { auto &[begin, end, warmUp, kept, positions, period, last, left, typical] = v;
      a(begin, end, warmUp, kept, positions, period, last, left, typical); }
    template <class A, Kept<RankPrediction> T> void keep(A &a, T &v)
    { auto &[rank, measured, predicted] = v; a(rank, measured, predicted); }
    template <class A, Kept<PartTimes> T> void keep(A &a, T &v)
    { auto &[compute, exposed, overlap, mem, idle, wait] = v;
      a(compute, exposed, overlap, mem, idle, wait); }
    template <class A, Kept<Strategy> T> void keep(A &a, T &v) { a(v.changes); }
    // Those with a base name their fields without the compiler's check.
    template <class A, Kept<CriticalPathReport> T> void keep(A &a, T &v)
    { a(v.computeNs, v.commNs, v.copyNs, v.hostNs, v.launchNs, v.inputNs, v.waitNs, v.idleNs,
        v.unrecordedNs, v.iteration, v.measuredNs, v.ops, v.stages, v.iterations, v.mean); }
    template <class A, Kept<Prediction> T> void keep(A &a, T &v)
    { a(v.iterations, v.measuredNs, v.predictedNs, v.strategy, v.obstacle, v.hasIterations,
        v.noChange, v.noEffect, v.unchangedNs, v.isJudged, v.ciLowNs, v.ciHighNs, v.widest,
        v.unknownInterval, v.daydreamNs, v.replayErrorFraction, v.trust, v.trustReasons,
        v.trustReason, v.ranks, v.measuredParts, v.predictedParts, v.serverRanks,
        v.typicalIteration, v.criticalPath, v.timeOriginNs); }
    template <class A, Kept<Diagnosis> T> void keep(A &a, T &v)
    { auto &[verdict, told, remarks, blind, isOfOneJob, hasIterations, ranks, operations, path,
             near, collectives, transfers, groups, stragglers, gaps, period, iterationGroups, cause,
             bottlenecks, rankRemarks, selfReplay, predictor] = v;
      a(verdict, told, remarks, blind, isOfOneJob, hasIterations, ranks, operations, path, near,
        collectives, groups, stragglers, gaps, period, iterationGroups, cause, bottlenecks,
        rankRemarks, selfReplay); }
    // clang-format on

    class FindingsWriter
    {
    public:
        template <class... Values>
        void operator()(const Values &...values)
        {
            (put(values), ...);
        }
        std::string take() { return std::move(m_bytes); }

    private:
        void put64(std::uint64_t value)
        {
            for (unsigned shift = 0; shift < 64; shift += 8)
                m_bytes += static_cast<char>(value >> shift);
        }
        void put(const std::string &text)
        {
            put64(text.size());
            m_bytes += text;
        }
        void put(const Change &change)
        {
            put(change.key);
            put(change.number());
            put(change.number() ? std::string() : change.valueText());
            put(change.ranks);
        }
        template <class T>
        void put(const std::vector<T> &list)
        {
            put64(list.size());
            for (const T &one : list)
                put(one);
        }
        template <class T>
        void put(const std::optional<T> &value)
        {
            put64(value ? 1 : 0);
            if (value)
                put(*value);
        }
        template <class T>
        void put(const T &value)
        {
            if constexpr (std::is_floating_point_v<T>)
                put64(std::bit_cast<std::uint64_t>(double(value)));
            else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
                put64(static_cast<std::uint64_t>(value));
            else
                keep(*this, value);
        }

        std::string m_bytes;
    };

    class FindingsReader
    {
    public:
        explicit FindingsReader(std::string_view bytes)
            : m_bytes(bytes)
        {
        }
        template <class... Values>
        void operator()(Values &...values)
        {
            (get(values), ...);
        }
        void end() const
        {
            if (!m_bytes.empty())
                fail();
        }

    private:
        [[noreturn]] static void fail() { throw Error("the kept analysis is damaged"); }
        std::uint64_t get64()
        {
            if (m_bytes.size() < 8)
                fail();
            std::uint64_t value = 0;
            for (unsigned i = 0; i < 8; ++i)
                value |= std::uint64_t(static_cast<unsigned char>(m_bytes[i])) << (8 * i);
            m_bytes.remove_prefix(8);
            return value;
        }
        /// A count of things that take `leastBytes` each.
        std::size_t getSize(std::size_t leastBytes)
        {
            const std::uint64_t size = get64();
            if (size > m_bytes.size() / leastBytes)
                fail();
            return static_cast<std::size_t>(size);
        }
        void get(std::string &text)
        {
            const std::size_t size = getSize(1);
            text = m_bytes.substr(0, size);
            m_bytes.remove_prefix(size);
        }
        void get(std::vector<Change> &changes)
        {
            for (std::size_t left = getSize(8); left > 0; --left) {
                std::string key, text;
                std::optional<double> number;
                std::vector<int> ranks;
                (*this)(key, number, text, ranks);
                Change change = number ? Change(key, *number) : Change(key, text);
                change.ranks = std::move(ranks);
                changes.push_back(std::move(change));
            }
        }
        template <class T>
        void get(std::vector<T> &list)
        {
            list.resize(getSize(8));
            for (T &one : list)
                get(one);
        }
        template <class T>
        void get(std::optional<T> &value)
        {
            if (get64() != 0)
                get(value.emplace());
        }
        template <class T>
        void get(T &value)
        {
            if constexpr (std::is_floating_point_v<T>)
                value = T(std::bit_cast<double>(get64()));
            else if constexpr (std::is_same_v<T, bool>)
                value = get64() != 0;
            else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
                value = static_cast<T>(get64());
            else
                keep(*this, value);
        }

        std::string_view m_bytes;
    };

} // namespace

std::string findingsBytes(const KeptFindings &findings)
{
    FindingsWriter writer;
    writer(findings.diagnosis, findings.gains);
    return writer.take();
}

KeptFindings findingsFrom(std::string_view bytes)
{
    KeptFindings found;
    FindingsReader reader(bytes);
    reader(found.diagnosis, found.gains);
    reader.end();
    return found;
}

} // namespace core
