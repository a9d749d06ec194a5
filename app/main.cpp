#include "core/base/error.h"
#include "core/base/kept_memory.h"
#include "core/base/printable_text.h"
#include "ui/jobs/watched_application.h"
#include "ui/main_window/launch_options.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/named_event.h"
#include "ui/main_window/opening_times.h"
#include "ui/main_window/pdf_pages.h"
#include "ui/main_window/screenshot.h"
#include "ui/session/session.h"
#include "ui/theme/theme.h"
#include "ui/widgets/enter_presses.h"

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>
#include <QThreadPool>
#include <QTimer>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace {

/// Debug builds tell on stderr of every handler that holds up the window for too long.
#ifdef NDEBUG
constexpr auto HandlersWatched = ui::WatchedApplication::Watch::WhereLimitIsGiven;
#else
constexpr auto HandlersWatched = ui::WatchedApplication::Watch::Always;
#endif

bool isGiven(int argc, char **argv, std::initializer_list<std::string_view> words)
{
    return std::any_of(argv + 1, argv + argc, [words](const char *argument) {
        return std::find(words.begin(), words.end(), argument) != words.end();
    });
}

bool hasDisplay(int argc, char **argv)
{
    return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr
        || std::getenv("QT_QPA_PLATFORM") != nullptr
        || isGiven(argc, argv, { "-platform", "--platform" });
}

void printError(const QString &message)
{
    std::fprintf(stderr, "longpole-ui: %s\n", core::printable(message.toStdString()).c_str());
}

/// Shows the event of --at in the first project that is opened, and in no later one.
void revealWhenOpen(ui::Session &session, const QString &event)
{
    auto *once = new QObject(&session);
    QObject::connect(&session, &ui::Session::projectChanged, once, [&session, event, once] {
        if (!session.isOpen())
            return;
        once->deleteLater();
        try {
            const core::SliceId id = ui::namedEvent(session.reader(), event);
            QTimer::singleShot(0, &session, [&session, id] { session.reveal(id); });
        } catch (const core::Error &error) {
            printError(QString::fromUtf8(error.what()));
            QCoreApplication::exit(EXIT_FAILURE);
        }
    });
}

/// Says why on stderr where it cannot.
void predictGiven(ui::Session &session, const ui::LaunchOptions &options)
{
    if (session.predictor() == nullptr)
        return session.predict(options.strategy); // the window says why nothing is predicted
    try {
        const core::StrategyFile given = ui::givenStrategy(options, session.predictor()->job());
        for (const std::string &note : given.notes)
            printError(QString::fromStdString(note));
        session.predict(given.strategy);
    } catch (const core::Error &error) {
        printError(QString::fromUtf8(error.what()));
        emit session.predictionFailed(QString::fromUtf8(error.what()));
    }
}

/// Predicts what --set and --strategy give once the graph is there, and shows both timelines.
void predictWhenAnalysed(ui::Session &session, const ui::LaunchOptions &options)
{
    auto *once = new QObject(&session);
    QObject::connect(&session, &ui::Session::analysisChanged, once, [&session, options, once] {
        session.requestAnalysis();
        if (session.diagnosis() == nullptr && session.analysisError().isEmpty())
            return;
        once->deleteLater();
        session.showView(QStringLiteral("compare"));
        predictGiven(session, options);
    });
}

int run(QApplication &application, const ui::LaunchOptions &options)
{
    // A search takes one as long as it runs or is paused, whatever else is asked for meanwhile.
    constexpr int FewestThreads = 4;
    QThreadPool *const pool = QThreadPool::globalInstance();
    pool->setMaxThreadCount(std::max(FewestThreads, pool->maxThreadCount()));
    const bool isHeadless = !options.screenshots.isEmpty();
    ui::Session session;
    // Before the window is made: of every widget that is there its style is found anew.
    const auto remembered
        = isHeadless ? ui::ThemeChoice::System : ui::MainWindow::rememberedTheme();
    ui::applyTheme(application, options.theme.value_or(remembered));
    ui::EnterPresses presses;
    application.installEventFilter(&presses);
    ui::MainWindow window(session, !isHeadless);
    if (options.hasSize || isHeadless)
        window.resize(options.size);
    if (!options.event.isEmpty() && !isHeadless)
        revealWhenOpen(session, options.event);
    if (options.wantsPrediction() && !isHeadless)
        predictWhenAnalysed(session, options);

    std::optional<ui::OpeningTimes> times;
    if (ui::OpeningTimes::areWanted())
        times.emplace(window, session);
    ui::ScreenshotRunner screenshots(window, session, options);
    if (isHeadless) {
        screenshots.start();
        QObject::connect(
            &screenshots, &ui::ScreenshotRunner::finished, &application,
            [](int exitCode, const QString &message) {
                if (!message.isEmpty())
                    printError(message);
                QCoreApplication::exit(exitCode);
            },
            Qt::QueuedConnection);
    }
    window.show();
    QTimer::singleShot(0, &window, [&window, &options] { window.open(options.paths); });
    return QApplication::exec();
}

/// Writes SVG pictures as PDF, or as PNG, in twice their size unless that is very large. Throws
/// core::Error.
void renderPictures(const ui::LaunchOptions &options)
{
    constexpr qint64 MostPixels = 150'000'000; // 600 MB
    ui::PdfPages document;
    for (const ui::ScreenshotRequest &one : options.renders) {
        QSvgRenderer picture(one.name);
        if (!picture.isValid())
            throw core::Error(one.name.toStdString() + " is no SVG picture");
        if (one.file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) {
            QFile svg(one.name);
            if (!svg.open(QIODevice::ReadOnly))
                throw core::Error("cannot read " + one.name.toStdString());
            document.add(svg.readAll(), one.file);
            continue;
        }
        const QSize size = picture.defaultSize();
        const qint64 pixels = qint64 { size.width() } * size.height();
        if (size.isEmpty() || pixels > MostPixels)
            throw core::Error(one.name.toStdString() + " is too large for a PNG: write .svg");
        const int ratio = 4 * pixels <= MostPixels ? 2 : 1;
        QImage image(size * ratio, QImage::Format_RGB32);
        if (image.isNull())
            throw core::Error("there is not enough memory for a PNG of this size: write .svg");
        image.fill(Qt::white);
        QPainter painter(&image);
        picture.render(&painter);
        painter.end();
        if (!image.save(one.file, "PNG"))
            throw core::Error("cannot write " + one.file.toStdString());
    }
    document.finish();
}

/// Answers --help and --version; false when that was all.
bool wantsWindow(const ui::LaunchOptions &options)
{
    if (!options.wantsHelp && !options.wantsVersion)
        return true;
    std::puts(options.wantsHelp ? qPrintable(ui::launchHelp()) : "longpole-ui " LONGPOLE_VERSION);
    return false;
}

/// Where a window cannot be opened, says so or has pictures made without one; false when all is
/// done.
bool prepareWithoutDisplay(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const ui::LaunchOptions options = ui::parseLaunchOptions(QCoreApplication::arguments());
    if (!wantsWindow(options))
        return false;
    if (options.screenshots.isEmpty() && options.renders.isEmpty())
        throw core::Error("there is no display to open a window on. Set DISPLAY or "
                          "WAYLAND_DISPLAY, make pictures with --screenshot, or use longpole");
    qputenv("QT_QPA_PLATFORM", "offscreen");
    return true;
}

int start(int argc, char **argv)
{
    const bool needsNone = isGiven(argc, argv, { "-h", "--help", "-v", "--version" });
    if ((needsNone || !hasDisplay(argc, argv)) && !prepareWithoutDisplay(argc, argv))
        return 0;
    ui::WatchedApplication application(argc, argv, HandlersWatched);
    // Qt has taken the user's: core's texts would have other numbers than on the command line.
    std::setlocale(LC_NUMERIC, "C");
    const ui::LaunchOptions options = ui::parseLaunchOptions(QCoreApplication::arguments());
    if (!wantsWindow(options))
        return 0;
    renderPictures(options);
    const bool isDone = !options.renders.isEmpty() && options.screenshots.isEmpty();
    return isDone ? 0 : run(application, options);
}

} // namespace

int main(int argc, char **argv)
{
    core::keepFreedMemory();
    std::signal(SIGXFSZ, SIG_IGN); // beyond `ulimit -f` writing fails then, and that is told
    QCoreApplication::setOrganizationName(QStringLiteral("Longpole"));
    QCoreApplication::setApplicationName(QStringLiteral("longpole"));
    QCoreApplication::setApplicationVersion(QStringLiteral(LONGPOLE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("longpole"));
    try {
        return start(argc, argv);
    } catch (const core::UsageError &error) {
        printError(QString::fromUtf8(error.what()));
        return 2;
    } catch (const core::Error &error) {
        printError(QString::fromUtf8(error.what()));
        return 1;
    }
}
