#pragma once

#include <QFrame>

#include <cstdint>
#include <optional>

class QCheckBox;
class QLabel;
class QLineEdit;

namespace ui {

/// Lies beside the overview: text to find in names and, if wished, in arguments, number of
/// hits, next and previous.
class TimelineSearchBar : public QFrame
{
    Q_OBJECT

public:
    explicit TimelineSearchBar(QWidget *parent = nullptr);

    void open(); ///< shows it, takes the focus, selects its text
    void setText(const QString &text); ///< as if it were typed
    QString text() const;
    /// `current` counts from 1; 0: none yet. `isLimited`: there are more hits than were read.
    /// `total`: of all hits, where it is known.
    void showHits(std::size_t current, std::size_t count, bool isLimited,
                  std::optional<std::uint64_t> total = {});
    void showMessage(const QString &message);

signals:
    /// After a short pause in typing.
    void searchRequested(const QString &text, bool isInArguments);
    void stepRequested(int direction); ///< +1 next hit, -1 previous
    void listRequested(); ///< of the hits, as a table
    void closed();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    QLineEdit *m_edit;
    QCheckBox *m_arguments;
    QLabel *m_count;
};

} // namespace ui
