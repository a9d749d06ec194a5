#include "fake_source.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_steps.h"
#include "ui/timeline/timeline_widget.h"

#include <QCheckBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

class TestTimelineWidget : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<ui::TimelineWidget> shown()
    {
        auto widget = std::make_unique<ui::TimelineWidget>();
        m_source = tests::twoRanks();
        widget->resize(1240, 500);
        widget->setSource(m_source);
        widget->show();
        (void)QTest::qWaitForWindowExposed(widget.get());
        return widget;
    }
    static QWidget *body(ui::TimelineWidget &widget)
    {
        return widget.findChild<QWidget *>(QString(), Qt::FindDirectChildrenOnly) == nullptr
            ? nullptr
            : widget.childAt(600, 300);
    }
    /// Middle of a slice in the coordinates of the track area.
    static QPoint middleOf(const ui::TimelineWidget &widget, std::uint64_t id)
    {
        const auto found = widget.state().source()->find(id);
        const auto &[track, box] = *found;
        const auto [top, height] = ui::barSpan(
            widget.state().layout(), ui::rowOfTrack(widget.state().layout(), track), box.depth);
        const double x = widget.state().axis().xOf((box.startNs + box.endNs) / 2);
        return { static_cast<int>(x), top - widget.state().scrollY() + height / 2 };
    }

    std::shared_ptr<tests::FakeSource> m_source;

private slots:
    /// "host · thread 25391 (pt_autograd_0)" was cut in the middle.
    void theTrackColumnIsAsWideAsTheNamesUntilTheUserChooses()
    {
        const auto widget = shown();
        const int before = widget->trackColumnWidth();
        const auto sourceWith = [](const QString &name) {
            auto source = std::make_shared<tests::FakeSource>();
            source->add(source->addTrack(QStringLiteral("rank 0"), QStringLiteral("host"), name,
                                         core::TrackKind::HostThread),
                        0, 10);
            return source;
        };
        QSignalSpy changed(widget.get(), &ui::TimelineWidget::trackColumnWidthChanged);
        widget->setSource(sourceWith(QString(before / 4, QLatin1Char('m'))));
        const int wide = widget->trackColumnWidth();
        QVERIFY(wide > before);
        QCOMPARE(changed.size(), 1);
        widget->setSource(m_source); // nothing jumps with what is shown next
        QCOMPARE(widget->trackColumnWidth(), wide);
        widget->setTrackColumnWidth(before, true);
        widget->setSource(sourceWith(QString(500, QLatin1Char('m'))));
        QCOMPARE(widget->trackColumnWidth(), before);
    }

    /// Its tag lay over the slices at the right edge.
    void whatIsPredictedIsSaidBesideTheTracks()
    {
        const auto widget = shown();
        const auto predicted = tests::twoRanks();
        predicted->setPredicted(true);
        const QWidget *tracks = body(*widget);
        const auto grabbed = [&](const QRect &area) { return widget->grab(area).toImage(); };
        const int left = tracks->geometry().left(), top = tracks->geometry().top();
        const QRect corner(0, 0, left, top), slices = tracks->geometry();
        const QImage measuredCorner = grabbed(corner);
        widget->setSource(predicted);
        QVERIFY(grabbed(corner) != measuredCorner);
        const QRgb accent = ui::themeOf(widget->palette()).accent.rgb();
        const QImage image = grabbed(slices);
        int accented = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                accented += image.pixel(x, y) == accent ? 1 : 0;
        QCOMPARE(accented, 0);
    }

    /// Scrolled away from, the crosshair's time was written at the ruler's edge.
    void aCrosshairThatIsNotSeenHasNoTime()
    {
        const auto widget = shown();
        const QWidget *tracks = body(*widget);
        const int bottom = tracks->geometry().top();
        const QRect ruler(tracks->geometry().left(), bottom - 22, tracks->width(), 22);
        const auto grabbed = [&] { return widget->grab(ruler).toImage(); };
        ui::TimelineState &state = widget->state();
        const core::TimeRange all = state.visible();
        state.setVisible({ all.startNs, all.startNs + all.durationNs() / 4 });
        const QImage without = grabbed();
        state.setCrosshair(all.startNs + all.durationNs() / 8);
        QVERIFY(grabbed() != without);
        state.setCrosshair(all.startNs + all.durationNs() / 2);
        QCOMPARE(grabbed(), without);
    }

    void wZoomsInAndSZoomsOut()
    {
        const auto widget = shown();
        const auto whole = widget->state().visible();
        QTest::keyPress(widget.get(), Qt::Key_W);
        QTest::keyRelease(widget.get(), Qt::Key_W);
        const auto closer = widget->state().visible();
        QVERIFY(closer.durationNs() < whole.durationNs());
        QTest::keyPress(widget.get(), Qt::Key_D);
        QTest::keyRelease(widget.get(), Qt::Key_D);
        QVERIFY(widget->state().visible().startNs > closer.startNs);
        QTest::keyPress(widget.get(), Qt::Key_A);
        QTest::keyRelease(widget.get(), Qt::Key_A);
        QTest::keyPress(widget.get(), Qt::Key_S);
        QTest::keyRelease(widget.get(), Qt::Key_S);
        QVERIFY(widget->state().visible().durationNs() > closer.durationNs());
    }

    void aHeldKeyGoesOnMoving()
    {
        const auto widget = shown();
        QTest::keyPress(widget.get(), Qt::Key_W);
        const auto once = widget->state().visible().durationNs();
        QTRY_VERIFY(widget->state().visible().durationNs() < once / 2);
        QTest::keyRelease(widget.get(), Qt::Key_W);
    }

    void aClickSelectsAndEscClears()
    {
        const auto widget = shown();
        QSignalSpy selected(widget.get(), &ui::TimelineWidget::sliceSelected);
        QSignalSpy cleared(widget.get(), &ui::TimelineWidget::selectionCleared);
        QTest::mouseClick(body(*widget), Qt::LeftButton, {}, middleOf(*widget, 1));
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected[0][0].toULongLong(), 1ULL);
        QTest::keyClick(widget.get(), Qt::Key_Escape);
        QCOMPARE(cleared.size(), 1);
        QVERIFY(!widget->state().selection());
    }

    void fFocusesAndAgainFitsAll()
    {
        const auto widget = shown();
        const auto whole = widget->state().visible();
        widget->setSelectedId(1);
        QTest::keyClick(widget.get(), Qt::Key_F);
        const auto focused = widget->state().visible();
        QVERIFY(focused.startNs > 200'000 && focused.endNs < 800'000);
        QVERIFY(focused.startNs < 300'000 && focused.endNs > 700'000);
        QTest::keyClick(widget.get(), Qt::Key_F);
        QCOMPARE(widget->state().visible(), whole);
        QTest::keyClick(widget.get(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(widget->state().visible(), focused);
        QTest::keyClick(widget.get(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(widget->state().visible(), whole);
    }

    void aDragSelectsAnAreaAndEscClearsOneLevel()
    {
        const auto widget = shown();
        widget->setSelectedId(0);
        QWidget *area = body(*widget);
        QTest::mousePress(area, Qt::LeftButton, {}, QPoint(100, 50));
        QTest::mouseMove(area, QPoint(200, 70));
        QTest::mouseMove(area, QPoint(300, 75));
        QTest::mouseRelease(area, Qt::LeftButton, {}, QPoint(300, 75));
        QVERIFY(widget->state().area().has_value());
        QCOMPARE(widget->state().area()->range.startNs, widget->state().axis().nsAt(100));
        QCOMPARE(widget->state().area()->firstTrack, std::size_t { 0 });
        QCOMPARE(widget->state().area()->endTrack, std::size_t { 2 });
        QTest::keyClick(widget.get(), Qt::Key_Escape);
        QVERIFY(!widget->state().area());
        QVERIFY(widget->state().selection());
    }

    void stepsGoAlongTrackAndCriticalPath()
    {
        const auto widget = shown();
        widget->setSelectedId(0);
        QTest::keyClick(widget.get(), Qt::Key_Period);
        QCOMPARE(widget->state().selection()->box.id, 1ULL);
        QTest::keyClick(widget.get(), Qt::Key_Period);
        QCOMPARE(widget->state().selection()->box.id, 3ULL); // 2 is on another track
        QTest::keyClick(widget.get(), Qt::Key_Period);
        QCOMPARE(widget->state().selection()->box.id, 3ULL); // the last one
        QTest::keyClick(widget.get(), Qt::Key_Comma);
        QCOMPARE(widget->state().selection()->box.id, 1ULL);
        QTest::keyClick(widget.get(), Qt::Key_BracketRight, Qt::AltModifier);
        QVERIFY(widget->state().selection()->box.id != 1ULL);
        QSignalSpy dependency(widget.get(), &ui::TimelineWidget::dependencyStepRequested);
        QTest::keyClick(widget.get(), Qt::Key_BracketLeft);
        QCOMPARE(dependency[0][0].toInt(), -1);
    }

    void marksAndAreasComeFromTheSelection()
    {
        const auto widget = shown();
        widget->setSelectedId(1);
        QTest::keyClick(widget.get(), Qt::Key_M);
        QCOMPARE(*widget->state().mark(), (core::TimeRange { 300'000, 700'000 }));
        QTest::keyClick(widget.get(), Qt::Key_M, Qt::ShiftModifier);
        QCOMPARE(widget->state().keptMarks().size(), std::size_t { 1 });
        QTest::keyClick(widget.get(), Qt::Key_R);
        QCOMPARE(widget->state().area()->range, (core::TimeRange { 300'000, 700'000 }));
    }

    void hoveringReadsNoBoxesForTheFrame()
    {
        const auto widget = shown();
        widget->grab();
        const int before = m_source->reads();
        widget->state().setCrosshair(123);
        widget->grab();
        QCOMPARE(m_source->reads(), before);
    }

    void aRevealedSliceIsUnfoldedAndSeen()
    {
        const auto widget = shown();
        ui::FoldState folds;
        folds.foldedGroups.insert(3);
        widget->state().setFolds(folds);
        const std::uint64_t deepest = 19; // depth 5 of rank 1's host thread
        widget->revealId(deepest);
        QCOMPARE(widget->state().selection()->box.id, deepest);
        QVERIFY(!widget->state().folds().foldedGroups.contains(3));
        QVERIFY(widget->state().folds().unfoldedTracks.contains(5));
        const QPoint at = middleOf(*widget, deepest);
        QVERIFY(at.y() >= 0 && at.y() < widget->state().viewportHeight());
    }

    void searchStepsThroughItsHits()
    {
        const auto widget = shown();
        QSignalSpy requested(widget.get(), &ui::TimelineWidget::searchRequested);
        QSignalSpy selected(widget.get(), &ui::TimelineWidget::sliceSelected);
        QTest::keyClick(widget.get(), Qt::Key_Slash);
        QWidget *edit = widget->focusWidget();
        QVERIFY(edit != nullptr && edit != widget.get());
        QTest::keyClicks(edit, QStringLiteral("sl"));
        QTRY_COMPARE(requested.size(), 1);
        widget->setSearchHits({ { 0, 0 }, { 3, 900'000 } }, false);
        QTest::keyClick(edit, Qt::Key_Return);
        QTest::keyClick(edit, Qt::Key_Return);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(selected.size(), 3);
        QCOMPARE(selected[1][0].toULongLong(), 3ULL);
        QCOMPARE(selected[2][0].toULongLong(), 0ULL);
        QCOMPARE(requested[0][1].toBool(), false);
        // More hits come while one is current: stepping goes on from there.
        widget->setSearchHits({ { 0, 0 }, { 2, 600'000 }, { 3, 900'000 } }, false);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(selected.size(), 4);
        QCOMPARE(selected[3][0].toULongLong(), 2ULL);
        edit->parentWidget()->findChild<QCheckBox *>()->click();
        QTRY_COMPARE(requested.size(), 2);
        QCOMPARE(requested[1][1].toBool(), true);
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!edit->isVisible());
        QVERIFY(widget->state().searchHits().empty());
    }

    void theTableOfHitsIsAskedForAndLeadsToAHit()
    {
        const auto widget = shown();
        const QSignalSpy requested(widget.get(), &ui::TimelineWidget::searchRequested);
        const QSignalSpy listed(widget.get(), &ui::TimelineWidget::searchListRequested);
        const QSignalSpy selected(widget.get(), &ui::TimelineWidget::sliceSelected);
        QTest::keyClick(widget.get(), Qt::Key_Slash);
        QWidget *edit = widget->focusWidget();
        QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(listed.size(), 1);
        QVERIFY(selected.isEmpty());
        widget->setSearchHits({ { 0, 0 }, { 2, 600'000 }, { 3, 900'000 } }, true);
        widget->setSearchTotal(12'000);
        widget->selectSearchHit(2);
        QCOMPARE(selected.back()[0].toULongLong(), 2ULL);
        QTest::keyClick(edit, Qt::Key_Return); // goes on from there
        QCOMPARE(selected.back()[0].toULongLong(), 3ULL);
        const auto labels = edit->parentWidget()->findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) {
            return label->text().startsWith(QStringLiteral("3 of 12"));
        }));
        widget->selectSearchHit(77); // no hit
        QCOMPARE(selected.back()[0].toULongLong(), 3ULL);
    }

    /// It was selected where nobody saw it.
    void aHiddenHitIsRevealedAndSaysWhatHidIt_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("hidden");
        QTest::addColumn<QString>("message");
        QTest::newRow("not at all") << QString() << QString() << QStringLiteral("1 of 1");
        QTest::newRow("by a filter") << QStringLiteral("rank 0") << QString()
                                     << QStringLiteral("A filter hid it: all tracks are shown");
        QTest::newRow("by its rank") << QString() << QStringLiteral("rank 1")
                                     << QStringLiteral("Its rank was hidden: all ranks are shown");
    }

    void aHiddenHitIsRevealedAndSaysWhatHidIt()
    {
        QFETCH(const QString, filter);
        QFETCH(const QString, hidden);
        QFETCH(const QString, message);
        const auto widget = shown();
        widget->openSearch();
        const std::uint64_t hit = 19; // of rank 1
        widget->setSearchHits({ { hit, 0 } }, false);
        ui::TrackArrangement arrangement;
        if (!filter.isEmpty())
            arrangement.filters = { *ui::parsedFilter(filter) };
        if (!hidden.isEmpty())
            arrangement.hidden = { hidden };
        widget->state().setArrangement(arrangement);
        QCOMPARE(widget->state().isHiddenByArrangement(hit), !(filter + hidden).isEmpty());
        const QSignalSpy selected(widget.get(), &ui::TimelineWidget::sliceSelected);
        widget->selectSearchHit(hit);
        QCOMPARE(selected.size(), 1);
        QCOMPARE(widget->state().selection()->box.id, hit);
        QVERIFY(widget->state().arrangement().filters.empty());
        QVERIFY(widget->state().arrangement().hidden.empty());
        const QPoint at = middleOf(*widget, hit);
        QVERIFY(at.y() >= 0 && at.y() < widget->state().viewportHeight());
        const auto labels = widget->findChildren<QLabel *>();
        const auto says = [&labels](const QString &text) {
            return std::ranges::any_of(labels, [&text](const QLabel *label) {
                return (label->text() + label->toolTip()).contains(text);
            });
        };
        QVERIFY(says(message));
        widget->selectSearchHit(hit); // seen now
        QVERIFY(says(QStringLiteral("1 of 1")));
    }

    void ctrlAAndCtrlClickMakeAnArea()
    {
        const auto widget = shown();
        widget->setSelectedId(0);
        const auto hit = *widget->state().selection();
        QTest::keyClick(widget.get(), Qt::Key_A, Qt::ControlModifier);
        QVERIFY(widget->state().area().has_value());
        QCOMPARE(widget->state().area()->firstTrack, hit.track);
        QCOMPARE(widget->state().area()->endTrack, hit.track + 1);
        QVERIFY(widget->state().area()->range == widget->state().source()->range());
        widget->state().setArea(std::nullopt);
        const auto found = widget->state().source()->find(3);
        QVERIFY(found.has_value());
        const ui::TimelineHit other { found->first, found->second };
        const ui::TimelineArea both = ui::areaWith(widget->state(), other);
        QCOMPARE(both.firstTrack, std::min(hit.track, other.track));
        QCOMPARE(both.endTrack, std::max(hit.track, other.track) + 1);
        QCOMPARE(both.range.startNs, std::min(hit.box.startNs, other.box.startNs));
        QCOMPARE(both.range.endNs, std::max(hit.box.endNs, other.box.endNs));
    }

    void keysAskForTheDetailsAndForADependency()
    {
        const auto widget = shown();
        const QSignalSpy details(widget.get(), &ui::TimelineWidget::detailsToggleRequested);
        const QSignalSpy choice(widget.get(), &ui::TimelineWidget::dependencyChoiceRequested);
        QTest::keyClick(widget.get(), Qt::Key_Q);
        QTest::keyClick(widget.get(), Qt::Key_BracketRight, Qt::ControlModifier);
        QTest::keyClick(widget.get(), Qt::Key_BracketLeft, Qt::ControlModifier);
        QCOMPARE(details.size(), 1);
        QCOMPARE(choice.size(), 2);
        QCOMPARE(choice[0][0].toInt(), 1);
        QCOMPARE(choice[1][0].toInt(), -1);
    }

    /// The bar lay over the slices of the first rank, and then moved them down.
    void theSearchHidesNoSlices()
    {
        const auto widget = shown();
        const QWidget *tracks = body(*widget);
        const QRect before = tracks->geometry();
        const QSignalSpy requested(widget.get(), &ui::TimelineWidget::searchRequested);
        QTest::keyClick(widget.get(), Qt::Key_Slash);
        const QWidget *bar = widget->focusWidget()->parentWidget();
        QVERIFY(bar->isVisible() && bar->parentWidget() == widget.get());
        for (const QWidget *part :
             widget->findChildren<QWidget *>(QString(), Qt::FindDirectChildrenOnly))
            QVERIFY(part == bar || part->isHidden() || part->inherits("ui::TimelineOverview")
                    || !part->geometry().intersects(bar->geometry()));
        QCOMPARE(tracks->geometry(), before); // nor does it move them
        QTest::keyClick(widget->focusWidget(), Qt::Key_Escape);
        QCOMPARE(tracks->geometry(), before);
    }

    /// A slice of a nanosecond is a pixel at most: its mark is wider, and below its own row.
    void hitsAreMarkedWhereTheyLie()
    {
        const auto widget = shown();
        QWidget *tracks = body(*widget);
        const QColor mark = ui::themeOf(tracks->palette()).warning;
        const auto marked = [&](std::size_t track) {
            const ui::TimelineRow &row = ui::rowOfTrack(widget->state().layout(), track);
            const int y = row.bottom() - widget->state().scrollY() - 2;
            const QImage image = tracks->grab(QRect(0, y, tracks->width(), 1)).toImage();
            int pixels = 0;
            for (int x = 0; x < image.width(); ++x) {
                pixels += image.pixelColor(x, 0).rgb() == mark.rgb() ? 1 : 0;
            }
            return pixels;
        };
        QCOMPARE(marked(3), 0);
        widget->state().setSearchHits(
            { { .id = 1, .startNs = 500'000, .endNs = 500'001, .track = 3 } });
        QVERIFY2(marked(3) >= 5 && marked(3) <= 7, qPrintable(QString::number(marked(3))));
        QCOMPARE(marked(0), 0);
        ui::TrackArrangement arrangement;
        arrangement.pinned = { QStringLiteral("rank 1") };
        widget->state().setArrangement(arrangement); // its track is the first one now
        QVERIFY(marked(0) >= 5);
        QCOMPARE(marked(3), 0);
    }

    /// Where nobody searches, a bar would only wait for hits.
    void noSearchOpensWhereNobodyAnswers()
    {
        const auto widget = shown();
        widget->setFocus();
        QTest::keyClick(widget.get(), Qt::Key_Slash);
        QCOMPARE(widget->focusWidget(), widget.get());
    }

    void anEmptyTimelineTakesEverything()
    {
        ui::TimelineWidget widget;
        widget.resize(600, 300);
        widget.show();
        for (const int key : { Qt::Key_W, Qt::Key_F, Qt::Key_M, Qt::Key_Period, Qt::Key_Escape }) {
            QTest::keyClick(&widget, static_cast<Qt::Key>(key));
        }
        QTest::mouseClick(&widget, Qt::LeftButton, {}, QPoint(400, 200));
        QTest::mouseDClick(widget.childAt(400, 200), Qt::LeftButton, {}, QPoint(10, 10));
        widget.setSource(std::make_shared<tests::FakeSource>()); // no tracks
        QVERIFY(!widget.grab().isNull());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTimelineWidget)
#include "tst_timeline_widget.moc"
