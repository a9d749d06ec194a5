#pragma once

#include <map>
#include <string>

namespace tests {

/// A complete dPRO trace folder of 2 hosts with 2 GPUs each, by relative path: 3 iterations of a
/// model with two gradients that are fused and reduced over one ring. Written by the format's rules
/// (TensorFlow profile, Horovod timeline of each rank, network proxy records, graphs, topology, and
/// what dPRO's analysis adds).
///
/// Each rank, each iteration of 1000 us: input 0..50, FW 100..200, BW 200..300 and 300..400,
/// all-reduce 450..750 as 6 sends and 6 receives, update 800..850.
std::map<std::string, std::string> generateDproFolder();

/// A dPRO trace of BytePS, by relative path: 2 workers with 2 GPUs each and 2 servers, 2 rounds of
/// one tensor in two parts; BytePS timelines, what dPRO made of the servers' logs.
std::map<std::string, std::string> generateDproServerFolder();

/// A profile of MXNet: 3 iterations of a forward, a backward and an update op on one GPU, calls of
/// the API, and rows whose pid is a hash of 64 bits.
std::string generateMxnetProfile();

} // namespace tests
