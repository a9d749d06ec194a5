#pragma once

#include "core/graph/graph.h"
#include "core/measure/job_metadata.h"
#include "core/model/trace.h"

#include <QString>
#include <QWidget>

#include <cstddef>
#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

/// Facts that a trace lacks and the user may know.
struct MissingFacts
{
    std::size_t gradients = 0; ///< whose sizes are not recorded; 0: none
    bool lacksRate = false; ///< of links
    core::GivenFacts given; ///< so far

    bool isEmpty() const { return gradients == 0 && !lacksRate; }
};

/// Facts that are not recorded, given or not.
MissingFacts missingFacts(const core::Trace &trace, const core::Graph &graph);

/// "gradient sizes, link rate": names of what is given; empty where nothing is.
QString givenNames(const core::GivenFacts &given);

/// "4096, 1024": bytes of each gradient. Empty where that is no list of `count` sizes.
std::optional<std::vector<std::uint64_t>> gradientSizesIn(const QString &text, std::size_t count);

/// Fields for what the trace lacks, which the project keeps. Hidden where it lacks nothing.
class GivenFactsBox : public QWidget
{
    Q_OBJECT

public:
    explicit GivenFactsBox(QWidget *parent);

    void setMissing(const MissingFacts &missing);
    void showNotKept(const QString &why); ///< in place of the note that it is being used

signals:
    void given(const core::GivenFacts &facts); ///< by the user; empty: no more

private:
    void give();

    MissingFacts m_missing;
    QWidget *m_sizesRow;
    QLineEdit *m_sizes;
    QWidget *m_rateRow;
    QLineEdit *m_rate;
    QPushButton *m_use;
    QLabel *m_note;
};

} // namespace ui
