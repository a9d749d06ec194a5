#include "core/project/write/imported_files.h"

#include "core/project/schema/import_tables.h"
#include "core/project/schema/worker_tables.h"

namespace core {

ImportedFiles::ImportedFiles(Database &db)
{
    const std::vector<SourceFile> files = readSourceFiles(db, readWorkers(db));
    for (const SourceFile &source : files)
        if (source.status == FileStatus::Read)
            m_readBefore.emplace(std::pair(source.name, source.storedBytes), source);
        else
            m_unreadBefore.insert(source.name);
    for (const SourceFile &source : files)
        if (source.status == FileStatus::Read)
            m_unreadBefore.erase(source.name);
}

const SourceFile *ImportedFiles::readBefore(std::string_view name, std::uint64_t storedBytes) const
{
    const auto known = m_readBefore.find(std::pair(std::string(name), storedBytes));
    return known == m_readBefore.end() ? nullptr : &known->second;
}

bool ImportedFiles::supersede(const std::string &name)
{
    if (m_unreadBefore.erase(name) == 0)
        return false;
    m_superseded.push_back(name);
    return true;
}

void ImportedFiles::addUnread(const SourceFile &file)
{
    m_unread.push_back(file);
}

void ImportedFiles::replaceUnread(const std::vector<SourceFile> &files)
{
    std::set<std::string_view> names;
    for (const SourceFile &file : files)
        names.insert(file.name);
    std::erase_if(m_unread, [&names](const SourceFile &file) { return names.contains(file.name); });
    for (const SourceFile &file : files)
        m_superseded.push_back(file.name); // it may be written already
    m_unread.insert(m_unread.end(), files.begin(), files.end());
}

void ImportedFiles::write(Database &db, const std::string &readNow) const
{
    for (const std::string &name : m_superseded)
        removeUnreadFile(db, name);
    if (m_unreadBefore.contains(readNow))
        removeUnreadFile(db, readNow);
    for (const SourceFile &source : m_unread)
        insertSourceFile(db, source);
}

void ImportedFiles::markWritten()
{
    m_superseded.clear();
    m_unread.clear();
}

} // namespace core
