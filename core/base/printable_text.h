#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace core {

// Names of a trace come from strangers: printed as they are, control characters would steer the
// terminal. They are written as in C: \x1b, \r; those of Unicode (U+007F to U+009F) as \u009b.

/// Line ends and tabs stay as they are.
std::string printable(std::string_view text);
/// The text as a line of its own: also its line ends and tabs are written as in C.
std::string oneLine(std::string_view text);

/// A cell of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula gets an
/// apostrophe before it; numbers stay as they are, as "-1" is none.
std::string csvField(std::string_view text, bool isNumber);

/// Passes on what is written to it, printable; line ends and tabs as they are.
class PrintableBuffer : public std::streambuf
{
public:
    /// `target` must live as long as this.
    explicit PrintableBuffer(std::streambuf &target)
        : m_target(target)
    {
    }

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char *text, std::streamsize size) override;
    int sync() override;

private:
    bool put(std::string_view text);

    std::streambuf &m_target;
    std::string m_printable; ///< kept for its memory
    int m_following = 0; ///< bytes that a UTF-8 character still needs
    bool m_isHigh = false; ///< 0xc2 was held back: U+0080 to U+00BF may follow
};

} // namespace core
