#include "fake_source.h"
#include "ui/timeline/export/timeline_picture.h"

#include <QPainter>
#include <QTest>

#include <algorithm>

using namespace ui;

namespace {

/// All colours of an image.
QSet<QRgb> coloursOf(const QImage &image)
{
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            colours.insert(image.pixel(x, y));
    return colours;
}

QImage imageOf(const TimelinePicture &picture, double scale, bool isVector = false)
{
    QImage image((QSizeF(picture.size()) * scale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    picture.paint(painter, scale, isVector);
    return image;
}

QStringList namesOf(const std::vector<LegendEntry> &entries)
{
    QStringList names;
    for (const LegendEntry &entry : entries)
        names << entry.text;
    return names;
}

} // namespace

class TestTimelinePicture : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void theLegendNamesWhatOccurs();
    void aTimeWithoutWaitsHasNone();
    void chosenRanksAreDrawnInFullHeight();
    void chosenRanksStayAsTheyAreArranged();
    void scalesAreOfTheSamePicture();
    void vectorsLookAsTheImage();
    void theShownTimelineStaysAsItIs();
    void aTimeCountsFromTheOrigin();

private:
    std::unique_ptr<TimelineState> m_state;
};

void TestTimelinePicture::init()
{
    m_state = std::make_unique<TimelineState>();
    m_state->setSource(tests::twoRanks());
    m_state->setWidth(800);
    m_state->setViewportHeight(60); // less than the rows
}

void TestTimelinePicture::theLegendNamesWhatOccurs()
{
    const TimelinePicture picture({ { m_state.get(), {} } }, {});
    QCOMPARE(
        namesOf(picture.legend()),
        QStringList({ QStringLiteral("forward compute"), QStringLiteral("backward compute"),
                      QStringLiteral("optimizer update"), QStringLiteral("communication, transfer"),
                      QStringLiteral("communication, waiting for other ranks"),
                      QStringLiteral("host, launch") }));
    m_state->setCriticalPathShown(true);
    QCOMPARE(TimelinePicture({ { m_state.get(), {} } }, {}).legend().back().mark,
             LegendMark::CriticalPath);
}

void TestTimelinePicture::aTimeWithoutWaitsHasNone()
{
    PictureChoice choice;
    choice.time = core::TimeRange { 0, 200'000 };
    const TimelinePicture picture({ { m_state.get(), {} } }, choice);
    QCOMPARE(namesOf(picture.legend()),
             QStringList({ QStringLiteral("forward compute"), QStringLiteral("host, launch") }));
}

void TestTimelinePicture::chosenRanksAreDrawnInFullHeight()
{
    const TimelinePicture both({ { m_state.get(), {} } }, {});
    PictureChoice choice;
    choice.groups = { QStringLiteral("rank 1") };
    const TimelinePicture one({ { m_state.get(), {} } }, choice);
    QVERIFY(both.size().height() > m_state->layout().height);
    QCOMPARE(both.size().height() - one.size().height(), m_state->layout().height / 2);
}

/// Pins and headings were lost with a choice of ranks: the picture arranged them anew.
void TestTimelinePicture::chosenRanksStayAsTheyAreArranged()
{
    const TimelineTrack pinned = m_state->source()->tracks().back();
    m_state->setGroupKeys(
        { { QStringLiteral("rank 0"),
            { .sections = { { QStringLiteral("host"), QStringLiteral("node1") } } } },
          { QStringLiteral("rank 1"),
            { .sections = { { QStringLiteral("host"), QStringLiteral("node2") } } } } });
    m_state->setArrangement({ .order = GroupOrder::Name,
                              .pinnedTracks = { nameOf(pinned) },
                              .gatheredBy = QStringLiteral("host") });
    m_state->toggleAllGroups();
    PictureChoice choice;
    choice.groups = { QStringLiteral("rank 1") };
    std::vector<TimelineTrack> shown = m_state->source()->tracks();
    QVERIFY(shown.front().isPinned && shown.back().section == QLatin1String("node2"));
    std::erase_if(
        shown, [](const TimelineTrack &track) { return track.group != QLatin1String("rank 1"); });
    const TimelinePicture picture({ { m_state.get(), {} } }, choice);
    QVERIFY(picture.tracks(0) == shown);
    QVERIFY(shown.size() < m_state->source()->tracks().size());
    // Folded as it is: a heading, the rank's row and the pinned one.
    const TimelinePicture all({ { m_state.get(), {} } }, {});
    QVERIFY(all.size().height() > picture.size().height());
    m_state->toggleAllGroups();
    QVERIFY(TimelinePicture({ { m_state.get(), {} } }, choice).size().height()
            > picture.size().height());
}

void TestTimelinePicture::scalesAreOfTheSamePicture()
{
    PictureChoice choice;
    choice.caption = QStringLiteral("a project");
    const TimelinePicture picture({ { m_state.get(), QStringLiteral("Measured") } }, choice);
    const QSet<QRgb> colours = coloursOf(imageOf(picture, 3));
    for (const core::Role role : { core::Role::Forward, core::Role::Backward, core::Role::Optimizer,
                                   core::Role::Communication })
        QVERIFY(colours.contains(lightTheme().role(role).rgb()));
    choice.theme = darkTheme();
    const TimelinePicture dark({ { m_state.get(), {} } }, choice);
    QVERIFY(coloursOf(imageOf(dark, 1)).contains(darkTheme().role(core::Role::Forward).rgb()));
}

void TestTimelinePicture::vectorsLookAsTheImage()
{
    const TimelinePicture picture({ { m_state.get(), {} } }, {});
    const QImage image = imageOf(picture, 1), drawn = imageOf(picture, 1, true);
    int different = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            different += image.pixel(x, y) != drawn.pixel(x, y) ? 1 : 0;
    QVERIFY2(different < image.width() * image.height() / 50,
             qPrintable(QString::number(different)));
}

void TestTimelinePicture::theShownTimelineStaysAsItIs()
{
    m_state->setScrollY(20);
    const core::TimeRange visible = m_state->visible();
    PictureChoice choice;
    choice.groups = { QStringLiteral("rank 0") };
    choice.time = core::TimeRange { 100, 500 };
    imageOf(TimelinePicture({ { m_state.get(), {} } }, choice), 1);
    QCOMPARE(m_state->scrollY(), 20);
    QVERIFY(m_state->visible() == visible);
    QVERIFY(m_state->arrangement() == TrackArrangement());
}

void TestTimelinePicture::aTimeCountsFromTheOrigin()
{
    m_state->setOriginNs(900'000);
    PictureChoice choice;
    choice.time = core::TimeRange { 20'000, 80'000 };
    const TimelinePicture picture({ { m_state.get(), {} } }, choice);
    QCOMPARE(namesOf(picture.legend()),
             QStringList({ QStringLiteral("optimizer update"), QStringLiteral("host, launch") }));
    QString span = timeSpanText({ 2'000'000, 5'000'000 });
    span.remove(QChar(0x2009)).remove(QChar(0x202f)).remove(QLatin1Char(' '));
    QCOMPARE(span, QStringLiteral("2.000msto5.000ms(3.000ms)"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTimelinePicture)
#include "tst_timeline_picture.moc"
