#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// The collective that an XLA instruction is, as collectiveKind() names it: "all_reduce" of
/// "all-reduce.12", "%all-reduce.12 = f32[8]{0} all-reduce(...)" and "all-reduce-done.3". Absent
/// for other instructions, and for "...-start", which only begins what the "-done" waits for. The
/// view is of static storage.
std::optional<std::string_view> hloCollective(std::string_view instruction);

/// Bytes of an instruction's result, from its whole text ("%a.1 = (f32[2,3]{1,0}, s8[4]) ..."); 0
/// where the text has none or a type is not known.
std::uint64_t hloResultBytes(std::string_view instruction);

} // namespace core
