#pragma once

#include "core/base/diagnostics.h"
#include "core/bundle/bundle.h"
#include "core/import/unknown_format.h"

#include <string>
#include <vector>

namespace core {

/// The error that a file could not be read at all. Records of an earlier file of its name stay.
Diagnostic unreadableFile(const SourcePosition &where, const std::string &message);

/// Of the files that are no traces and that no info of their own tells of.
inline constexpr const char *FurtherFilesCode = "further-files";

/// What the files that no importer recognises are for the bundle's traces. One that is named as a
/// trace (as another of the bundle, but for its numbers; or it ends as traces do and names a rank
/// of which there is no other) is an input that was not read: its kind does not show because it is
/// empty or damaged.
class UnknownFiles
{
public:
    /// `traces`: names of the files that are recognised.
    explicit UnknownFiles(const std::vector<std::string> &traces);

    /// A folder may hold millions of pictures: the list of files says of each what it is.
    static constexpr std::size_t MostTold = 1000;

    /// Counts one of them: an error where it is a trace or the user named it, a warning where it is
    /// empty but ends as traces do, else an info; beyond MostTold infos, one for all the others.
    void count(const BundleItem &item, const UnknownFile &file, Diagnostics &diagnostics);

private:
    bool isNamedAsTrace(const std::string &name) const;

    std::vector<std::string> m_shapes; ///< names without their numbers, sorted
    std::vector<int> m_ranks; ///< that names state in words, sorted
    std::size_t m_told = 0;
};

} // namespace core
