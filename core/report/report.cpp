#include "core/report/report.h"

#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/analyze/rank_cells.h"
#include "core/base/duration_text.h"
#include "core/base/sentence.h"
#include "core/export/graph/markup.h"
#include "core/measure/parts.h"
#include "core/model/category.h"
#include "core/report/report_page.h"
#include "core/report/report_timelines.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace core {

namespace {

    constexpr TextStyle Normal {}, Bold { .isBold = true }, Quiet { .color = ink::Secondary },
        Small { .size = 9, .color = ink::Secondary };
    constexpr double RowSpace = 12;

    std::string shareText(std::int64_t partNs, std::int64_t wholeNs)
    {
        return percentText(static_cast<double>(partNs)
                           / static_cast<double>(std::max<std::int64_t>(1, wholeNs)));
    }

    /// "-18 %"; "+2.1 %".
    std::string changeText(std::int64_t ns, std::int64_t fromNs)
    {
        const std::int64_t gainNs = fromNs - ns;
        return (gainNs >= 0 ? "\u2212" : "+") + shareText(std::abs(gainNs), fromNs);
    }

    /// `share` of the accent on white.
    std::string shade(double share)
    {
        constexpr std::uint32_t Full = 0x0B6BCB, White = 0xFF;
        std::uint32_t color = 0;
        for (const std::uint32_t shift : { 16U, 8U, 0U }) {
            const double part = (Full >> shift) & 0xFFU;
            color |= static_cast<std::uint32_t>(std::lround(White + (part - White) * share))
                << shift;
        }
        return hexColor(color);
    }

    /// Time that the first figure is, in the words of the window's Summary.
    std::string basisText(const SummaryData &summary)
    {
        if (summary.ranks.size() == 1)
            return summary.hasIterations ? "the typical iteration" : "all of it";
        std::string text
            = summary.hasServers ? "mean of all ranks but servers" : "mean of all ranks";
        if (summary.hasIterations)
            text.insert(0, summary.periodLength > 1 ? "mean iteration, " : "median iteration, ");
        return text + "; slowest rank: " + durationText(summary.iterationNs);
    }

    class ReportWriter
    {
    public:
        explicit ReportWriter(const ReportInput &input)
            : m_input(input)
            , m_diagnosis(input.diagnosis)
            , m_summary(summarize(input.diagnosis))
        {
        }

        std::vector<std::string> write()
        {
            head();
            if (m_diagnosis.isOfOneJob) {
                figures();
                findings(false);
                findings(true);
                scenarios();
            }
            ranks();
            trust();
            timelines();
            return m_pages.finish("Longpole " LONGPOLE_VERSION ", " + m_input.words.title);
        }

    private:
        void head()
        {
            m_pages.paragraph(m_input.words.title + ": " + countText(m_summary.ranks.size(), "rank")
                                  + ", "
                                  + countText(m_summary.iterationNumbers.size(), "iteration"),
                              Quiet);
            m_pages.skip(4);
            m_pages.paragraph(m_diagnosis.verdict, { .size = 20, .isBold = true });
            for (const std::string &remark : m_diagnosis.verdictRemarks)
                m_pages.paragraph(remark, Normal);
            for (const std::string &blindSpot : m_diagnosis.blindSpots)
                m_pages.paragraph(blindSpot, Quiet);
            m_pages.skip(RowSpace);
        }

        /// The iteration, and what it is made of.
        void figures()
        {
            const PartTimes &parts = m_summary.parts;
            const std::int64_t partsNs = wholeNs(parts);
            const std::string of
                = m_summary.hasIterations ? " of the iteration" : " of the recording";
            struct Tile
            {
                std::string name, value, detail;
            };
            const std::vector<Tile> tiles {
                { m_summary.hasIterations ? "Iteration" : "Recording", durationText(wholeNs(parts)),
                  basisText(m_summary) },
                { "Compute", durationText(parts.computeNs),
                  shareText(parts.computeNs, partsNs) + of },
                { "Exposed communication", durationText(parts.exposedCommNs),
                  shareText(parts.exposedCommNs, partsNs) + of },
                { "Idle", durationText(parts.idleNs), shareText(parts.idleNs, partsNs) + of },
            };
            constexpr double Gap = 10, Inset = 10, Below = 53, Line = 12;
            const auto count = static_cast<double>(tiles.size());
            const double width = (PageContentWidth - Gap * (count - 1)) / count;
            std::size_t lines = 1;
            for (const Tile &tile : tiles)
                lines = std::max(lines, wrapped(tile.detail, width - 2 * Inset, Small).size());
            const double height = Below + Line * static_cast<double>(lines) - 2;
            m_pages.need(height);
            for (std::size_t i = 0; i < tiles.size(); ++i) {
                const double x = PageMargin + (width + Gap) * static_cast<double>(i);
                m_pages.rect(x, m_pages.y(), width, height, ink::Panel);
                m_pages.text(x + Inset, m_pages.y() + 17, tiles[i].name, Quiet);
                m_pages.text(x + Inset, m_pages.y() + 38, tiles[i].value,
                             { .size = 17, .isBold = true });
                double y = m_pages.y() + Below;
                for (const std::string &line : wrapped(tiles[i].detail, width - 2 * Inset, Small)) {
                    m_pages.text(x + Inset, y, line, Small);
                    y += Line;
                }
            }
            m_pages.skip(height);
        }

        /// Findings that can be changed, or upper limits.
        void findings(bool areBounds)
        {
            const auto &all = m_diagnosis.bottlenecks;
            const auto isOne
                = [areBounds](const Bottleneck &one) { return one.isBound == areBounds; };
            if (std::none_of(all.begin(), all.end(), isOne))
                return;
            m_pages.heading(areBounds ? "Upper limits" : "What would shorten it");
            m_pages.paragraph(
                areBounds ? "Saving per iteration if it took no time at all: no change of its kind "
                            "can save more."
                          : "Predicted saving per iteration (now "
                        + durationText(m_diagnosis.selfReplay.predictedNs)
                        + "). Savings overlap: they do not add up.",
                Quiet);
            m_pages.skip(4);
            constexpr std::size_t Most = 5;
            std::size_t shown = 0;
            for (const Bottleneck &one : all)
                if (isOne(one) && ++shown <= Most)
                    finding(one);
            if (shown > Most)
                m_pages.paragraph("and " + std::to_string(shown - Most) + " smaller ones", Small);
        }

        void finding(const Bottleneck &one)
        {
            constexpr double GainWidth = 190, Height = 48, BarHeight = 7;
            const double width = PageContentWidth - GainWidth - 24;
            const std::string advice = firstSentence(one.advice);
            m_pages.need(std::max(Height,
                                  paragraphHeight(one.title, Bold, width)
                                      + paragraphHeight(one.reason, Normal, width)
                                      + paragraphHeight(advice, Normal, width) + 8));
            const double top = m_pages.y();
            const double x = PageWidth - PageMargin - GainWidth;
            m_pages.text(x, top + 11, "\u2212" + durationText(one.gainNs), Bold);
            TextStyle right = Small;
            right.isRight = true;
            m_pages.text(PageWidth - PageMargin, top + 11, percentText(one.gainFraction), right);
            gainBar(one, x, top + 17, GainWidth, BarHeight);
            m_pages.text(PageWidth - PageMargin, top + 35, intervalText(one), right);
            m_pages.paragraph(one.title, Bold, PageMargin, width);
            if (!one.reason.empty())
                m_pages.paragraph(one.reason, Normal, PageMargin, width);
            m_pages.paragraph(advice, Normal, PageMargin, width);
            m_pages.skip(std::max(8.0, top + Height - m_pages.y()));
        }

        static std::string intervalText(const Bottleneck &one)
        {
            if (!one.gainInterval)
                return one.unknownInterval.empty() ? "" : "interval not known";
            return std::string(one.gainInterval->mayBeNothing() ? "may be nothing; " : "")
                + "95 %: " + signedText(-one.gainInterval->lowNs) + " to "
                + signedText(-one.gainInterval->highNs);
        }

        /// With the sign of the change, as the saving above it has.
        static std::string signedText(std::int64_t ns)
        {
            return (ns < 0 ? "\u2212" : ns > 0 ? "+" : "") + durationText(std::abs(ns), 3);
        }

        /// End of the scale that all bars share.
        std::int64_t largestGainNs() const
        {
            std::int64_t largest = 1;
            for (const Bottleneck &one : m_diagnosis.bottlenecks)
                largest = std::max(
                    { largest, one.gainNs, one.gainInterval ? one.gainInterval->highNs : 0 });
            return largest;
        }

        void gainBar(const Bottleneck &one, double x, double y, double width, double height)
        {
            const auto largest = static_cast<double>(largestGainNs());
            const auto placeOf = [&](std::int64_t ns) {
                return std::clamp(static_cast<double>(ns) / largest, 0.0, 1.0) * width;
            };
            m_pages.rect(x, y, width, height, ink::Panel);
            m_pages.rect(x, y + 1, std::max(1.0, placeOf(one.gainNs)), height - 2, ink::Better);
            if (!one.gainInterval)
                return;
            const double low = placeOf(one.gainInterval->lowNs);
            const double high = placeOf(one.gainInterval->highNs);
            m_pages.rect(x + low, y + height / 2 - 0.75, std::max(1.0, high - low), 1.5, ink::Text);
            m_pages.rect(x + low, y, 1, height, ink::Text);
            m_pages.rect(x + high, y, 1, height, ink::Text);
        }

        struct Scenario
        {
            std::string name, time, change, interval, trust;
        };

        /// Without an interval: that of the saving stands above.
        static Scenario scenarioOf(const Bottleneck &one, std::int64_t nowNs)
        {
            return { one.title, durationText(one.predictedNs), changeText(one.predictedNs, nowNs),
                     "", "" };
        }

        std::vector<Scenario> allScenarios() const
        {
            const Prediction &self = m_diagnosis.selfReplay;
            std::vector<Scenario> all { { "As it is, replayed", durationText(self.predictedNs), "",
                                          "", std::string(trustLevelName(self.trust)) } };
            if (const Prediction *const whatIf = m_input.whatIf)
                all.push_back({ m_input.words.strategyName, durationText(whatIf->predictedNs),
                                changeText(whatIf->predictedNs, whatIf->unchangedNs),
                                whatIf->unknownInterval ? "not known"
                                                        : durationText(whatIf->ciLowNs, 3) + " to "
                                        + durationText(whatIf->ciHighNs, 3),
                                std::string(trustLevelName(whatIf->trust)) });
            constexpr std::size_t Most = 8;
            for (const Bottleneck &one : m_diagnosis.bottlenecks)
                if (!one.isBound && !one.strategy.isEmpty() && all.size() < Most)
                    all.push_back(scenarioOf(one, self.predictedNs));
            return all;
        }

        void scenarios()
        {
            const std::vector<Scenario> all = allScenarios();
            if (all.size() < 2)
                return;
            constexpr double Row = 18, Time = 380, Change = 450, Interval = 600;
            m_pages.heading("What-ifs");
            const bool isJudged = m_input.whatIf != nullptr; // else the section on trust says it
            const auto row = [&](const Scenario &one, const TextStyle &style) {
                m_pages.need(Row);
                TextStyle right = style;
                right.isRight = true;
                const double y = m_pages.y() + 12;
                m_pages.text(PageMargin, y, shortened(one.name, Time - 90, style), style);
                m_pages.text(PageMargin + Time, y, one.time, right);
                m_pages.text(PageMargin + Change, y, one.change, right);
                if (isJudged) {
                    m_pages.text(PageMargin + Interval, y, one.interval, right);
                    m_pages.text(PageWidth - PageMargin, y, one.trust, right);
                }
                m_pages.rect(PageMargin, m_pages.y() + Row - 1, PageContentWidth, 0.5, ink::Line);
                m_pages.skip(Row);
            };
            row({ "", "iteration", "change", "95 % interval", "trust" }, Small);
            for (const Scenario &one : all)
                row(one, &one == &all[1] && isJudged ? Bold : Normal);
        }

        void ranks()
        {
            if (m_summary.ranks.size() < 2)
                return;
            constexpr double NameWidth = 118, RangeWidth = 116, Row = 20, LeastForText = 46;
            const double width = PageContentWidth - NameWidth - RangeWidth;
            const std::vector<RankRow> rows = rankRows(m_summary);
            m_pages.heading("Ranks");
            m_pages.need(Row * static_cast<double>(rows.size() + 2));
            m_pages.paragraph(std::string(m_summary.hasIterations ? "Mean iteration" : "Recording")
                                  + ": the stronger the colour, the larger the part of it.",
                              Quiet);
            m_pages.skip(4);
            for (const RankRow &row : rows) {
                const double top = m_pages.y();
                m_pages.text(PageMargin, top + 13, row.name, Normal);
                const auto cells = inColumns(row.ns, static_cast<std::size_t>(width / 2));
                const double each = width / static_cast<double>(cells.size());
                for (std::size_t i = 0; i < cells.size(); ++i) {
                    const double share = std::clamp(static_cast<double>(cells[i])
                                                        / static_cast<double>(wholeNsOf(m_summary)),
                                                    0.0, 1.0);
                    const double x = PageMargin + NameWidth + each * static_cast<double>(i);
                    m_pages.rect(x, top, each > 6 ? each - 1 : each, Row - 2,
                                 shade(0.04 + 0.96 * share));
                    if (each >= LeastForText)
                        m_pages.text(x + 4, top + 12, durationText(cells[i], 3),
                                     { .size = 9, .color = share > 0.55 ? "#FFFFFF" : ink::Text });
                }
                const auto [least, most] = std::minmax_element(row.ns.begin(), row.ns.end());
                TextStyle right = Small;
                right.isRight = true;
                m_pages.text(PageWidth - PageMargin, top + 12,
                             durationText(*least, 3) + " to " + durationText(*most, 3), right);
                m_pages.skip(Row);
            }
            rankNumbers(PageMargin + NameWidth, width);
            for (std::size_t i = 0; i < std::min<std::size_t>(2, m_diagnosis.rankRemarks.size());
                 ++i)
                m_pages.paragraph(m_diagnosis.rankRemarks[i], Normal);
        }

        void rankNumbers(double x, double width)
        {
            constexpr double Least = 24;
            const auto count = static_cast<double>(m_summary.ranks.size());
            std::size_t step = 1;
            while (width / count * static_cast<double>(step) < Least)
                step *= 2;
            m_pages.text(PageMargin, m_pages.y() + 9, "rank", Small);
            for (std::size_t i = 0; i < m_summary.ranks.size(); i += step)
                m_pages.text(x + width / count * static_cast<double>(i) + 4, m_pages.y() + 9,
                             std::to_string(m_summary.ranks[i].rank), Small);
            m_pages.skip(16);
        }

        void timelines()
        {
            if (m_input.timelines.empty())
                return;
            drawTimelines(m_pages, m_input.timelines, timelineCaption());
        }

        /// The project, and how far what is drawn can be trusted.
        std::string timelineCaption() const
        {
            std::string caption
                = m_input.words.title + ", " + countText(m_summary.ranks.size(), "rank") + ". ";
            if (!m_input.words.clocks.empty())
                caption += m_input.words.clocks + " ";
            const Prediction &shown
                = m_input.whatIf != nullptr ? *m_input.whatIf : m_diagnosis.selfReplay;
            caption += m_input.whatIf != nullptr ? "Trust in the what-if: " : "Trust: ";
            return caption + std::string(trustLevelName(shown.trust)) + ".";
        }

        void trust()
        {
            m_pages.heading("How far this can be trusted");
            if (!m_input.words.clocks.empty())
                m_pages.paragraph(m_input.words.clocks, Normal);
            const Prediction &self = m_diagnosis.selfReplay;
            if (self.predictedNs > 0)
                m_pages.paragraph("Trust in the replay: " + std::string(trustLevelName(self.trust))
                                      + ". " + self.trustReason,
                                  Normal);
            if (const Prediction *const whatIf = m_input.whatIf)
                m_pages.paragraph("Trust in " + m_input.words.strategyName + ": "
                                      + std::string(trustLevelName(whatIf->trust)) + ". "
                                      + whatIf->trustReason,
                                  Normal);
        }

        const ReportInput &m_input;
        const Diagnosis &m_diagnosis;
        SummaryData m_summary;
        ReportPages m_pages;
    };

} // namespace

std::vector<std::string> reportPages(const ReportInput &input)
{
    return ReportWriter(input).write();
}

} // namespace core
