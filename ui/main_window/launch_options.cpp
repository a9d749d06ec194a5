#include "ui/main_window/launch_options.h"

#include "core/base/error.h"
#include "core/change/change_text.h"
#include "ui/main_window/picture_file.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QCoreApplication>
#include <QList>
#include <QRegularExpression>

#include <cmath>

namespace ui {

namespace {

    constexpr int smallestSide = 320;
    constexpr int largestSide = 8192;

    struct LaunchOptionsText
    {
        Q_DECLARE_TR_FUNCTIONS(LaunchOptions)
    };

    [[noreturn]] void fail(const QString &message)
    {
        throw core::UsageError(message.toStdString());
    }

    QList<QCommandLineOption> pictureOptions()
    {
        return {
            { QStringLiteral("picture"),
              LaunchOptionsText::tr(
                  "The same for the picture of a view as File > Export image writes it: timelines "
                  "in full height with legend and caption, without bars; repeatable."),
              QStringLiteral("VIEW=FILE.png|.svg|.pdf") },
            { QStringLiteral("ranks"),
              LaunchOptionsText::tr("Ranks of --picture, such as 0-3,7; all without."),
              QStringLiteral("RANKS") },
            { QStringLiteral("time"),
              LaunchOptionsText::tr("Time of --picture in ms, counted as the view does; what it "
                                    "shows without."),
              QStringLiteral("FROM-TO") },
            { QStringLiteral("scale"),
              LaunchOptionsText::tr("Pixels of a PNG of --picture for one of the window, 1 to 8; "
                                    "2 without."),
              QStringLiteral("N") },
        };
    }

    void setUp(QCommandLineParser &parser)
    {
        parser.setApplicationDescription(LaunchOptionsText::tr(
            "Shows where the time of a distributed training job goes, and what if."));
        parser.setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsOptions);
        parser.addPositionalArgument(
            QStringLiteral("P|BUNDLE..."),
            LaunchOptionsText::tr("A project, or traces: files, folders, .zip, .gz."));
        parser.addOptions({
            { { QStringLiteral("h"), QStringLiteral("help") },
              LaunchOptionsText::tr("Print this text.") },
            { { QStringLiteral("v"), QStringLiteral("version") },
              LaunchOptionsText::tr("Print the version.") },
            { QStringLiteral("at"),
              LaunchOptionsText::tr("Show this event: a slice's number or a name."),
              QStringLiteral("EVENT") },
            { QStringLiteral("screenshot"),
              LaunchOptionsText::tr(
                  "Render this view when the analysis is done, and exit; repeatable. Views: "
                  "welcome, summary, summary-end, timeline, timeline-critical, timeline-zoomed, "
                  "timeline-area, graph, graph-layers, graph-open, graph-selected, graph-whatif, "
                  "compare, compare-whatif (without --set of a what-if that shows "
                  "something), compare-memory, compare-reference, compare-graph, "
                  "compare-scenarios, strategies, "
                  "strategies-found, strategies-export, "
                  "import, import-file, import-rank, clocks, "
                  "clocks-edited, ops, ops-communication, ops-shapes, sql, sql-rows, help and "
                  "help-PAGE (such "
                  "as help-trust)."),
              QStringLiteral("VIEW=FILE.png") },
            { QStringLiteral("render"),
              LaunchOptionsText::tr("Write an SVG picture as PNG, and exit; repeatable."),
              QStringLiteral("FILE.svg=FILE.png") },
            { QStringLiteral("size"),
              LaunchOptionsText::tr("Size of the window, 1920x1080 for screenshots."),
              QStringLiteral("WxH") },
            { QStringLiteral("theme"), LaunchOptionsText::tr("system, light or dark."),
              QStringLiteral("THEME") },
            { QStringLiteral("set"),
              LaunchOptionsText::tr(
                  "A what-if setting that is predicted and compared; repeatable. Where it cannot "
                  "be, --screenshot leaves out pictures of compare, and the exit code is 1."),
              QStringLiteral("KEY=VALUE") },
            { QStringLiteral("strategy"),
              LaunchOptionsText::tr("Strategy file of 'longpole optimize' that is predicted and "
                                    "compared; --set adds to it."),
              QStringLiteral("FILE") },
        });
        parser.addOptions(pictureOptions());
    }

    ScreenshotRequest parseScreenshot(const QString &word)
    {
        const qsizetype at = word.indexOf(QLatin1Char('='));
        if (at <= 0 || at + 1 == word.size())
            fail(LaunchOptionsText::tr(
                     "--screenshot %1: write VIEW=FILE.png, for example summary=summary.png")
                     .arg(word));
        return { word.left(at), word.mid(at + 1) };
    }

    ScreenshotRequest parsePicture(const QString &word)
    {
        const qsizetype at = word.indexOf(QLatin1Char('='));
        const QString file = word.mid(at + 1);
        const bool isKnown
            = isVectorFile(file) || file.endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
        if (at <= 0 || !isKnown)
            fail(LaunchOptionsText::tr("--picture %1: write VIEW=FILE with a name that ends in "
                                       ".png, .svg or .pdf, for example timeline=timeline.pdf")
                     .arg(word));
        return { word.left(at), file, true };
    }

    core::TimeRange parseTime(const QString &word)
    {
        constexpr double NsPerMs = 1e6;
        const QStringList ends = word.split(QLatin1Char('-'));
        bool isFrom = false, isTo = false;
        const double from = ends.front().toDouble(&isFrom), to = ends.back().toDouble(&isTo);
        if (ends.size() != 2 || !isFrom || !isTo || to <= from)
            fail(LaunchOptionsText::tr(
                     "--time %1: write FROM-TO in ms, the earlier one first, for example 12.5-40")
                     .arg(word));
        return { std::llround(from * NsPerMs), std::llround(to * NsPerMs) };
    }

    double parseScale(const QString &word)
    {
        bool isNumber = false;
        const double scale = word.toDouble(&isNumber);
        if (!isNumber || !(scale >= SmallestScale && scale <= LargestScale))
            fail(LaunchOptionsText::tr("--scale %1: write a number from 1 to 8").arg(word));
        return scale;
    }

    void parsePictures(const QCommandLineParser &parser, LaunchOptions &options)
    {
        for (const QString &word : parser.values(QStringLiteral("picture")))
            options.screenshots.append(parsePicture(word));
        options.pictureRanks = parser.value(QStringLiteral("ranks"));
        if (parser.isSet(QStringLiteral("time")))
            options.pictureTime = parseTime(parser.value(QStringLiteral("time")));
        if (parser.isSet(QStringLiteral("scale")))
            options.pictureScale = parseScale(parser.value(QStringLiteral("scale")));
    }

    QSize parseSize(const QString &word)
    {
        static const QRegularExpression pattern(QStringLiteral("^(\\d{3,4})x(\\d{3,4})$"));
        const QRegularExpressionMatch match = pattern.match(word);
        const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
        const auto isSane = [](int side) { return side >= smallestSide && side <= largestSide; };
        if (!match.hasMatch() || !isSane(size.width()) || !isSane(size.height()))
            fail(LaunchOptionsText::tr(
                     "--size %1: write WxH in pixels from %2 to %3, for example 1920x1080")
                     .arg(word)
                     .arg(smallestSide)
                     .arg(largestSide));
        return size;
    }

    ScreenshotRequest parseRender(const QString &word)
    {
        const qsizetype at = word.indexOf(QLatin1Char('='));
        if (at <= 0 || at + 1 == word.size())
            fail(LaunchOptionsText::tr("--render %1: write FILE.svg=FILE.png").arg(word));
        return { word.left(at), word.mid(at + 1) };
    }

    core::Strategy parseSets(const QStringList &words)
    {
        std::vector<std::string> plain;
        for (const QString &word : words)
            plain.push_back(word.toStdString());
        return core::parseStrategy(plain);
    }

} // namespace

LaunchOptions parseLaunchOptions(const QStringList &arguments)
{
    QCommandLineParser parser;
    setUp(parser);
    if (!parser.parse(arguments))
        fail(parser.errorText());
    LaunchOptions options;
    options.wantsHelp = parser.isSet(QStringLiteral("help"));
    options.wantsVersion = parser.isSet(QStringLiteral("version"));
    options.paths = parser.positionalArguments();
    options.event = parser.value(QStringLiteral("at"));
    const QStringList pictures = parser.values(QStringLiteral("screenshot"));
    for (const QString &word : pictures)
        options.screenshots.append(parseScreenshot(word));
    parsePictures(parser, options);
    for (const QString &word : parser.values(QStringLiteral("render")))
        options.renders.append(parseRender(word));
    if (parser.isSet(QStringLiteral("size"))) {
        options.size = parseSize(parser.value(QStringLiteral("size")));
        options.hasSize = true;
    }
    if (parser.isSet(QStringLiteral("theme"))) {
        const QString word = parser.value(QStringLiteral("theme"));
        options.theme = themeChoiceFromName(word);
        if (!options.theme)
            fail(LaunchOptionsText::tr("--theme %1: write system, light or dark").arg(word));
    }
    options.strategyFile = parser.value(QStringLiteral("strategy"));
    options.strategy = parseSets(parser.values(QStringLiteral("set")));
    return options;
}

core::StrategyFile givenStrategy(const LaunchOptions &options, const core::MeasuredJob &job)
{
    if (!options.strategyFile.isEmpty())
        return core::readStrategy(options.strategyFile.toStdString(), options.strategy, job);
    core::StrategyFile given;
    given.strategy = options.strategy;
    return given;
}

QString launchHelp()
{
    QCommandLineParser parser;
    setUp(parser);
    return parser.helpText();
}

} // namespace ui
