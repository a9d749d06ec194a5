#pragma once

#include "core/import/importer.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

/// How the rank of a trace is known that does not state it itself.
enum class RankSource {
    Name, ///< its name says it
    Alone, ///< there is no other trace of its format
    Order, ///< the place among those of its folder, by name
    Digits, ///< a number in its name, which may mean something else
    Places ///< the order of its places in parallel dimensions (TP, PP ...), by its name
};

struct NamedRank
{
    int rank = 0;
    RankSource source = RankSource::Name;
};

/// A trace as its bundle lists it.
struct ListedTrace
{
    std::string name;
    const Importer *importer = nullptr;
    bool isDamaged = false; ///< it cannot be read, and needs no rank
};

/// The ranks of traces by their names, for those that do not state them; by their places. `traces`
/// are in natural order of names.
/// - What words of a name state ("rank3") comes first.
/// - Traces of which each is of another format are parts of one rank: the only one that a name of
///   them states, else the number that all have (of a single one only behind a word for a place,
///   see rankFromPlace()), else 0.
/// - Of several of one format it is the only number in which their names differ, else the order of
///   their places in parallel dimensions (see parallelPlaces()), else a number behind a word for a
///   place, else the number at the end, unless two names have the same. These
///   numbers must count ranks: from 0 or 1, or those of one of several equal hosts without a gap.
///   Formats whose files are numbered by the order of their names (Importer::isNumberedByOrder)
///   are, in one folder, where damaged ones keep their numbers, and in folders of times that hosts
///   gave them within minutes, where no host has two (JAX). Else those that are damaged count
///   as if they were not there.
std::vector<std::optional<NamedRank>> namedRanks(const std::vector<ListedTrace> &traces);

} // namespace core
