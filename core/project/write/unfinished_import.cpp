#include "core/project/write/unfinished_import.h"

#include "core/base/error.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace core {

namespace {

    namespace fs = std::filesystem;

    /// In `property`: a JSON array of texts.
    constexpr std::string_view Key = "import.unfinished";

    std::vector<std::string> inputsOf(Database &db, const std::string &text)
    {
        Statement kind(db, "SELECT CASE WHEN json_valid(?1) THEN json_type(?1) = 'array' END");
        kind.bindAll(std::string_view(text));
        if (!kind.step() || kind.integer(0) != 1)
            db.failDamaged("its record of an unfinished import cannot be read");
        std::vector<std::string> inputs;
        Statement select(db, "SELECT value FROM json_each(?)");
        select.bindAll(std::string_view(text));
        while (select.step())
            inputs.push_back(select.text(0));
        return inputs;
    }

    void write(Database &db, const std::vector<std::string> &inputs)
    {
        std::string text = "[";
        for (const std::string &input : inputs) {
            Statement quote(db, "SELECT json_quote(?)");
            quote.bindAll(std::string_view(input)).step();
            text += (text.size() > 1 ? "," : "") + quote.text(0);
        }
        Statement(db, "REPLACE INTO property VALUES (?, ?)")
            .bindAll(Key, std::string_view(text + "]"))
            .run();
    }

    /// Where an input lies, however it is written: relative to the project's folder or absolute,
    /// with a slash at its end, through a link.
    fs::path placeOf(const Database &db, const std::string &input)
    {
        const fs::path path = fs::absolute(db.fileName()).parent_path() / input;
        std::error_code unreadable;
        fs::path place = fs::weakly_canonical(path, unreadable);
        if (unreadable)
            place = path.lexically_normal();
        return place.has_filename() ? place : place.parent_path();
    }

    std::set<fs::path> placesOf(const Database &db, const std::vector<std::string> &inputs)
    {
        std::set<fs::path> places;
        for (const std::string &input : inputs)
            places.insert(placeOf(db, input));
        return places;
    }

    /// Whether one of the folders is the place, or holds it.
    bool isWithin(const std::set<fs::path> &folders, fs::path place)
    {
        while (!folders.contains(place)) {
            if (!place.has_relative_path())
                return false;
            place = place.parent_path();
        }
        return true;
    }

} // namespace

std::string UnfinishedImport::message() const
{
    std::string files;
    for (const std::string &input : inputs)
        files += " " + input;
    const std::string what = "The import of" + (files.empty() ? " this project's files" : files);
    if (importer)
        return what + " is running (" + importer->text()
            + (hasStoredNothing ? "). Nothing is here yet; wait for it."
                                : "). The part that it has read is here; wait for the rest.");
    if (hasStoredNothing)
        return what + " was interrupted before anything was stored. To begin again, "
            + std::string(HowToGoOn) + '.';
    return what
        + " was interrupted. The part that it had read is here; the rest is missing. To go on, "
        + std::string(HowToGoOn) + std::string(HowToDoWithout) + '.';
}

std::optional<UnfinishedImport> readUnfinishedImport(Database &db)
{
    // Asked before the mark is read and after: an import that ends in between takes the mark along,
    // and one that begins sets it.
    std::optional<ProjectImporter> importer = importerOf(db.fileName());
    Statement select(db, "SELECT value FROM property WHERE key = ?");
    if (!select.bindAll(Key).step())
        return std::nullopt;
    std::vector<std::string> inputs = inputsOf(db, select.text(0));
    const bool hasStoredNothing = db.integer("SELECT count(*) FROM worker") == 0;
    if (!importer)
        importer = importerOf(db.fileName());
    return UnfinishedImport { std::move(inputs), std::move(importer), hasStoredNothing };
}

void markUnfinishedImport(Database &db, const std::vector<std::string> &inputs)
{
    std::vector<std::string> all = readUnfinishedImport(db).value_or(UnfinishedImport()).inputs;
    std::set<fs::path> places = placesOf(db, all);
    for (const std::string &input : inputs)
        if (places.insert(placeOf(db, input)).second)
            all.push_back(input);
    write(db, all);
}

void giveUpUnfinishedImport(const std::filesystem::path &project)
{
    const ProjectLock lock(project);
    bringUpToDate(project);
    Database db(project, OpenMode::ReadWrite);
    checkIsProject(db);
    const std::optional<UnfinishedImport> unfinished = readUnfinishedImport(db);
    if (!unfinished)
        throw Error("every import into this project came to its end: there is no rest",
                    { project.string(), {} });
    if (unfinished->hasStoredNothing)
        throw Error("nothing was stored in this project before its import was interrupted: delete "
                    "it, or import the files once more",
                    { project.string(), {} });
    Statement(db, "DELETE FROM property WHERE key = ?").bindAll(Key).run();
}

std::vector<std::string> clearUnfinishedImport(Database &db, const std::vector<std::string> &inputs)
{
    std::vector<std::string> left, missing;
    const std::set<fs::path> imported = placesOf(db, inputs);
    for (const std::string &input : readUnfinishedImport(db).value_or(UnfinishedImport()).inputs) {
        const fs::path place = placeOf(db, input);
        std::error_code unreadable;
        if (isWithin(imported, place))
            continue;
        const bool isMissing = !fs::exists(place, unreadable) && !unreadable;
        (isMissing ? missing : left).push_back(input);
    }
    if (left.empty())
        Statement(db, "DELETE FROM property WHERE key = ?").bindAll(Key).run();
    else
        write(db, left);
    return missing;
}

} // namespace core
